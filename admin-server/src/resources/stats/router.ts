import { overviewInput } from "shared/core/input/log";
import { findAccount } from "shared/db/account";
import { countNotifications } from "shared/db/notification/statistics";
import { isSiteOfAccount } from "shared/db/site";
import { router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentOverview } from "./present.ts";
import { findSilentSites } from "./silent-sites.ts";

export const statsRouter = router({
  overview: viewerProcedure.input(overviewInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const { siteId = null, from, to } = input;
    if (siteId !== null && !(await isSiteOfAccount(ctx.sql, accountId, siteId))) throw notFound("site");
    const account = await findAccount(ctx.sql, accountId);
    if (account === undefined) throw notFound("account");
    return presentOverview(await countNotifications(ctx.sql, { accountId, siteId, from, to, timezone: account.timezone }));
  }),

  silentSites: viewerProcedure.query(async ({ ctx }) => ({ items: await findSilentSites(ctx.sql, ctx.caller.accountId, ctx.clock()) })),
});
