import { idInput } from "shared/core/input/common";
import { listEventsInput, tailEventsInput } from "shared/core/input/log";
import { eventFieldsInput, eventNamesInput } from "shared/core/input/log";
import { findEventKinds } from "shared/db/event-kind";
import { listEventKinds } from "shared/db/event-kind";
import { findEvent } from "shared/db/event/log";
import { listEvents } from "shared/db/event/log";
import { isSiteOfAccount } from "shared/db/site";
import { readCursor, toPage } from "../../list-page.ts";
import { toLogPage } from "../../log-page.ts";
import { router, viewerProcedure } from "../../trpc.ts";
import { notFound } from "../../trpc/refusals.ts";
import { presentField, presentName } from "./present-field.ts";
import { presentEvent, presentPayload } from "./present.ts";
import { tailEvents } from "./tail.ts";
import { traceEvent } from "./trace.ts";

export const eventsRouter = router({
  list: viewerProcedure.input(listEventsInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("events", input.cursor), input.limit + 1);
    const { siteId, event: name, orderId, test, dryRun } = input;
    if (siteId !== undefined && !(await isSiteOfAccount(ctx.sql, ctx.caller.accountId, siteId))) throw notFound("site");
    const rows = await listEvents(ctx.sql, ctx.caller.accountId, { siteId, name, orderId, test, dryRun }, page);
    return toPage(
      "events",
      rows,
      input.limit,
      (row) => row.id,
      (row) => presentEvent(row, ctx.caller.role),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const row = await findEvent(ctx.sql, ctx.caller.accountId, input.id);
    if (row === undefined) throw notFound("event");
    const { role } = ctx.caller;
    const trace = await traceEvent(ctx.sql, row, role);
    return { event: { ...presentEvent(row, role), payload: presentPayload(row.payload, role), trace } };
  }),

  tail: viewerProcedure.input(tailEventsInput).subscription(async function* ({ ctx, input, signal }) {
    const { siteId } = input;
    if (siteId !== undefined && !(await isSiteOfAccount(ctx.sql, ctx.caller.accountId, siteId))) throw notFound("site");
    yield* tailEvents(ctx, ctx.caller, siteId, signal ?? ctx.stopping);
  }),

  names: viewerProcedure.input(eventNamesInput).query(async ({ ctx, input }) => {
    const before = readCursor("event names", input.cursor);
    if (!(await isSiteOfAccount(ctx.sql, ctx.caller.accountId, input.siteId))) throw notFound("site");
    await ctx.learner.catchUp(input.siteId);
    const rows = await listEventKinds(ctx.sql, input.siteId, { before, limit: input.limit + 1 });
    return toPage(
      "event names",
      rows,
      input.limit,
      (row) => row.last_event_id,
      (row) => presentName(row, ctx.caller.role),
    );
  }),

  fields: viewerProcedure.input(eventFieldsInput).query(async ({ ctx, input }) => {
    if (!(await isSiteOfAccount(ctx.sql, ctx.caller.accountId, input.siteId))) throw notFound("site");
    await ctx.learner.catchUp(input.siteId);
    const [kind] = await findEventKinds(ctx.sql, [{ site_id: input.siteId, name: input.event }]);
    return { fields: (kind?.fields ?? []).map((field) => presentField(field, ctx.caller.role)) };
  }),
});
