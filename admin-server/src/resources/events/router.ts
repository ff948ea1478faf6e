import { listEventsInput } from "shared/core/input/event";
import { idInput } from "shared/core/input/id";
import { findEvent } from "shared/db/tables/event/find";
import { listEvents } from "shared/db/tables/event/list";
import { isSiteOfAccount } from "shared/db/tables/site/find";
import { readCursor, toPage } from "../../list-page.ts";
import { toLogPage } from "../../log-page.ts";
import { router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentEvent } from "./present.ts";

export const eventsRouter = router({
  list: viewerProcedure.input(listEventsInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("events", input.cursor), input.limit + 1);
    const { siteId, event: name, orderId, test, dryRun } = input;
    if (siteId !== undefined && !(await isSiteOfAccount(ctx.sql, ctx.caller.accountId, siteId))) throw notFound("site");
    const rows = await listEvents(ctx.sql, ctx.caller.accountId, { siteId, name, orderId, test, dryRun }, page);
    return toPage("events", rows, input.limit, (row) => row.id, presentEvent);
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findEvent(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("event");
    return { event: { ...presentEvent(row), payload: row.payload } };
  }),
});
