import { createTokenInput } from "shared/core/input/team";
import { clientIdMember, idInput, listInput } from "shared/core/input/values";
import { may } from "shared/core/role";
import { say } from "shared/core/wording";
import { countAccessTokens, deleteAccessToken, listAccessTokens, insertAccessToken, type AccessTokenRow } from "shared/db/access-token";
import { newId } from "shared/db/ids";
import type { z } from "zod";
import type { CallerContext } from "../context.ts";
import { secretHint } from "../platform-account.ts";
import type { Caller } from "../session/caller.ts";
import { makeAccessToken, digest } from "../session/sessions.ts";
import { conflict, invalidInput, absent, notFound } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { requireRight } from "../trpc/roles.ts";
import { once, operatorProcedure, router } from "../trpc/trpc.ts";

const creating = operatorProcedure.input(createTokenInput.extend(clientIdMember)).use(
  once(async ({ sql, caller }, id) => {
    const page = { createdBy: caller.userId, before: null, limit: mostTokens };
    const row = (await listAccessTokens(sql, caller.accountId, page)).find((each) => each.id === id) ?? absent("token");
    return presentToken(row);
  }),
);

export const tokensRouter = router({
  create: creating.mutation(async ({ ctx, input }) => {
    const { token, row } = await createToken(ctx, input);
    return { ...presentToken(row), token };
  }),

  list: operatorProcedure.input(listInput).query(({ ctx, input }) => {
    const createdBy = visibleCreator(ctx.caller);
    return readPage("tokens", input, (page) => listAccessTokens(ctx.sql, ctx.caller.accountId, { createdBy, ...page }), presentToken);
  }),

  revoke: operatorProcedure.input(idInput).mutation(async ({ ctx, input }) => {
    const revoked = await deleteAccessToken(ctx.sql, ctx.caller.accountId, input.id, visibleCreator(ctx.caller));
    if (!revoked) throw notFound("token");
    return { id: input.id };
  }),
});

/** The user whose tokens the caller sees and revokes: the caller, or everybody (null). */
const visibleCreator = ({ role, userId }: Caller): string | null => (may(role, "seeOthersTokens") ? null : userId);

/** The most tokens of an account that have not ended. */
const mostTokens = 200;

const lifeMs = 90 * 86_400_000;

/** A token can do no more than its creator. It ends after 90 days unless `expiresAt` says otherwise; null: never. */
async function createToken({ sql, caller, clock }: CallerContext, input: z.output<typeof createTokenInput>) {
  const { name, role, scopes = null, expiresAt = new Date(clock().getTime() + lifeMs) } = input;
  requireRight(caller.role, role, say("Creating this token"));
  if (expiresAt !== null && expiresAt <= clock()) throw invalidInput([{ path: ["expiresAt"], said: say("Must be in the future") }]);
  if ((await countAccessTokens(sql, caller.accountId)) >= mostTokens)
    throw conflict("An account has at most {most} access tokens: revoke those that are not used", { most: mostTokens });
  const token = makeAccessToken();
  const row = await insertAccessToken(sql, {
    id: newId(),
    account_id: caller.accountId,
    created_by: caller.userId,
    name,
    role,
    scopes,
    expires_at: expiresAt,
    token_hash: digest(token),
    hint: secretHint(token),
  });
  return { token, row };
}

const presentToken = (row: AccessTokenRow) => ({
  ...present(row, "id", "name", "role"),
  /** Null: everything that the role may do. */
  scopes: row.scopes,
  ...present(row, "hint", "created_by", "created_at", "expires_at", "last_used_at"),
});
