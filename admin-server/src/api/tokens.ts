import { TRPCError } from "@trpc/server";
import { createTokenInput } from "shared/core/input/team";
import { idInput, listInput } from "shared/core/input/values";
import { isAtLeast } from "shared/core/role";
import { deleteAccessToken, listAccessTokens, insertAccessToken, type AccessTokenRow } from "shared/db/access-token";
import { newId } from "shared/db/ids";
import type { z } from "zod";
import type { RequestContext } from "../context.ts";
import { secretHint } from "../platform-account.ts";
import type { Caller } from "../session/caller.ts";
import { makeAccessToken, digest } from "../session/sessions.ts";
import { notFound, invalidInput } from "../trpc/errors.ts";
import { readCursor, toPage } from "../trpc/paging.ts";
import { operatorProcedure, router } from "../trpc/trpc.ts";

export const tokensRouter = router({
  create: operatorProcedure.input(createTokenInput).mutation(async ({ ctx, input }) => {
    const { token, row } = await createToken(ctx, ctx.caller, input);
    return { ...presentToken(row), token };
  }),

  list: operatorProcedure.input(listInput).query(async ({ ctx, input }) => {
    const before = readCursor("tokens", input.cursor);
    const page = { createdBy: ownOnly(ctx.caller), before, limit: input.limit + 1 };
    const rows = await listAccessTokens(ctx.sql, ctx.caller.accountId, page);
    return toPage("tokens", rows, input.limit, (row) => row.id, presentToken);
  }),

  revoke: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const revoked = await deleteAccessToken(ctx.sql, ctx.caller.accountId, input.id, ownOnly(ctx.caller));
    if (!revoked) throw notFound("token");
    return { id: input.id };
  }),
});

/** Only an owner sees other people's tokens. */
const ownOnly = (caller: Caller): string | null => (caller.role === "owner" ? null : caller.userId);

/** A token that may do, and lasts, no more than what the caller came with. */
async function createToken(
  context: RequestContext,
  caller: Caller,
  { name, role, expiresAt = null }: z.output<typeof createTokenInput>,
): Promise<{ token: string; row: AccessTokenRow }> {
  if (!isAtLeast(caller.role, role)) {
    throw new TRPCError({ code: "FORBIDDEN", message: `A token can have at most your own role, ${caller.role}` });
  }
  if (expiresAt !== null && expiresAt <= context.clock()) throw invalidInput([{ path: ["expiresAt"], message: "Must be in the future" }]);
  checkOutlives(caller, expiresAt);
  const token = makeAccessToken();
  const { accountId, userId: createdBy } = caller;
  const row = await insertAccessToken(context.sql, {
    id: newId(),
    accountId,
    createdBy,
    name,
    role,
    expiresAt,
    hash: digest(token),
    hint: secretHint(token),
  });
  return { token, row };
}

function checkOutlives({ via }: Caller, expiresAt: Date | null): void {
  if (via.kind !== "access-token" || via.expiresAt === null) return;
  if (expiresAt === null || expiresAt > via.expiresAt) {
    throw new TRPCError({
      code: "FORBIDDEN",
      message: `It cannot outlive the token that creates it: set expiresAt to ${via.expiresAt.toISOString()} or earlier`,
    });
  }
}

const presentToken = (row: AccessTokenRow) => ({
  id: row.id,
  name: row.name,
  role: row.role,
  hint: row.hint,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
