import { madeSinceInput } from "shared/core/input/team";
import { listMadeSince, listOthersMadeIn } from "shared/db/made-since";
import { shownText } from "../trpc/roles.ts";
import { router, viewerProcedure } from "../trpc/trpc.ts";

/** Part of `auth`: what stays behind when the caller signs out everywhere. */
export const madeSinceRouter = router({
  /**
   * What the caller has made since then and that is still there, and the people whom they have let in: whoever had their session may have done it. `elsewhere`: their other accounts in which something was made.
   */
  madeSince: viewerProcedure.input(madeSinceInput).query(async ({ ctx, input: { since } }) => {
    const by = { accountId: ctx.caller.accountId, userId: ctx.caller.userId, since };
    const [rows, elsewhere] = await Promise.all([listMadeSince(ctx.sql, by), listOthersMadeIn(ctx.sql, by)]);
    return {
      items: rows.map(({ kind, id, name, made_at }) => ({
        kind,
        id,
        name: shownText(name, ctx.caller.role),
        madeAt: made_at.toISOString(),
      })),
      elsewhere: [...elsewhere],
    };
  }),
});
