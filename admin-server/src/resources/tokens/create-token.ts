import { TRPCError } from "@trpc/server";
import type { createTokenInput } from "shared/core/input/team";
import { isAtLeast } from "shared/core/role";
import { insertAccessToken } from "shared/db/access-token";
import type { AccessTokenRow } from "shared/db/access-token";
import { newId } from "shared/db/ids";
import type { z } from "zod";
import type { RequestContext } from "../../context.ts";
import { secretHint } from "../../platform/secret-hint.ts";
import { makeAccessToken } from "../../session/access-token.ts";
import type { Caller } from "../../session/caller.ts";
import { digest } from "../../session/digest.ts";
import { invalidInput } from "../../trpc/refusals.ts";

/** A token that may do, and lasts, no more than what the caller came with. */
export async function createToken(
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
