import { idInput } from "shared/core/input/common";
import { listInput } from "shared/core/input/common";
import { createTokenInput } from "shared/core/input/team";
import { deleteAccessToken } from "shared/db/access-token";
import { listAccessTokens } from "shared/db/access-token";
import { readCursor, toPage } from "../../list-page.ts";
import type { Caller } from "../../session/caller.ts";
import { operatorProcedure, router } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { createToken } from "./create-token.ts";
import { presentToken } from "./present.ts";

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
