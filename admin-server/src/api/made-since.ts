import { madeSinceInput } from "shared/core/input/team";
import { listMadeSince, listOthersMadeIn } from "shared/db/made-since";
import { router, viewerProcedure } from "../trpc/trpc.ts";

/** Part of `auth`: what stays behind when the caller signs out everywhere. */
export const madeSinceRouter = router({
  /**
   * The sites, keys, endpoints, channels, tokens, invitations and passkeys that the caller has made since then and that are still there: whoever had their
   * session may have made them. `elsewhere`: their other accounts in which something was made.
   */
  madeSince: viewerProcedure.input(madeSinceInput).query(async ({ ctx, input: { since } }) => {
    const by = { accountId: ctx.caller.accountId, userId: ctx.caller.userId, since };
    const [rows, elsewhere] = await Promise.all([listMadeSince(ctx.sql, by), listOthersMadeIn(ctx.sql, by)]);
    return {
      items: rows.map(({ kind, id, name, made_at }) => ({ kind, id, name, madeAt: made_at.toISOString() })),
      elsewhere: [...elsewhere],
    };
  }),
});
