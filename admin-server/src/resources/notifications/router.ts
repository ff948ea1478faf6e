import { idInput } from "shared/core/input/common";
import { listNotificationsInput, resendFilterInput, resendManyInput, resendNotificationInput } from "shared/core/input/log";
import type { Sql } from "shared/db/connect";
import { findNotification } from "shared/db/notification/log";
import { listNotifications } from "shared/db/notification/log";
import { isSiteOfAccount } from "shared/db/site";
import { readCursor, toPage } from "../../list-page.ts";
import { toNotificationFilter } from "../../log-filter.ts";
import { toLogPage } from "../../log-page.ts";
import { operatorProcedure, router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentResendJob } from "./present-job.ts";
import { presentNotification, presentNotificationDetail, type Viewer } from "./present.ts";
import { countResends, readResendJob, resendOne, startResends } from "./resend.ts";

export const notificationsRouter = router({
  list: viewerProcedure.input(listNotificationsInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("notifications", input.cursor), input.limit + 1);
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    const rows = await listNotifications(ctx.sql, ctx.caller.accountId, toNotificationFilter(input, ctx.caller.role), page);
    const viewer = viewerOf(ctx);
    return toPage(
      "notifications",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentNotification(row, viewer),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findNotification(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("notification");
    return { notification: presentNotificationDetail(row, viewerOf(ctx)) };
  }),

  resend: operatorProcedure.input(resendNotificationInput).mutation(async ({ ctx, input }) => {
    const row = await resendOne(ctx.sql, ctx.caller.accountId, input, ctx.clock());
    return { notification: presentNotificationDetail(row, viewerOf(ctx)) };
  }),

  resendCount: operatorProcedure.input(resendFilterInput).query(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return await countResends(ctx.sql, ctx.caller.accountId, input);
  }),

  resendMany: operatorProcedure.input(resendManyInput).mutation(async ({ ctx, input }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
    return { job: presentResendJob(await startResends(ctx.sql, ctx.caller, input)) };
  }),

  resendJob: operatorProcedure.input(idInput).query(async ({ ctx, input }) => ({
    job: presentResendJob(await readResendJob(ctx.sql, ctx.caller.accountId, input.id)),
  })),
});

async function requireSite(sql: Sql, accountId: string, siteId: string | undefined): Promise<void> {
  if (siteId !== undefined && !(await isSiteOfAccount(sql, accountId, siteId))) throw notFound("site");
}

const viewerOf = ({ caller, clock }: { caller: { role: Viewer["role"] }; clock: () => Date }): Viewer => ({
  role: caller.role,
  now: clock(),
});
