import { idInput } from "shared/core/input/id";
import { listNotificationsInput } from "shared/core/input/notification";
import { findNotification } from "shared/db/tables/notification/find";
import { listNotifications } from "shared/db/tables/notification/list";
import { isSiteOfAccount } from "shared/db/tables/site/find";
import { readCursor, toPage } from "../../list-page.ts";
import { toLogPage } from "../../log-page.ts";
import { router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentNotification, presentNotificationDetail } from "./present.ts";

export const notificationsRouter = router({
  list: viewerProcedure.input(listNotificationsInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("notifications", input.cursor), input.limit + 1);
    const { siteId, eventId, status, event, phone, template } = input;
    if (siteId !== undefined && !(await isSiteOfAccount(ctx.sql, ctx.caller.accountId, siteId))) throw notFound("site");
    const rows = await listNotifications(ctx.sql, ctx.caller.accountId, { siteId, eventId, status, event, phone, template }, page);
    return toPage("notifications", rows, input.limit, (row) => row.id, presentNotification);
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findNotification(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("notification");
    return { notification: presentNotificationDetail(row) };
  }),
});
