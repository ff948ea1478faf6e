import { setMaxListeners } from "node:events";
import type { KnownField } from "shared/core/fields/known";
import { listEventsInput, tailEventsInput, eventFieldsInput, eventNamesInput } from "shared/core/input/log";
import { idInput } from "shared/core/input/values";
import { maskSample, maskPayload } from "shared/core/mask";
import { isAtLeast, type Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { findEventKinds, listEventKinds, type EventKindRow } from "shared/db/event-kind";
import { findEvent, listEvents, type EventRow } from "shared/db/event/log";
import { isSiteOfAccount } from "shared/db/site";
import type { AdminContext } from "../context.ts";
import { notFound } from "../trpc/errors.ts";
import { readCursor, toPage, toLogPage } from "../trpc/paging.ts";
import { shownText, seesPhones } from "../trpc/roles.ts";
import { router, viewerProcedure } from "../trpc/trpc.ts";
import { traceEvent } from "./event-trace.ts";

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

const presentName = (row: Pick<EventKindRow, "name" | "last_event_id">, role: Role) => ({
  name: shownText(row.name, role),
  lastSeenAt: timeOf(row.last_event_id),
});

/** Who may only look sees no sample that may be somebody's phone, address or name. */
function presentField(field: KnownField, role: Role) {
  const { path, type, sample } = isAtLeast(role, "operator") ? field : maskSample(field);
  return { path, type, sample, lastSeenAt: timeOf(field.last) };
}

const timeOf = (eventId: string): string => new Date(uuidTime(eventId)).toISOString();

interface Watcher {
  accountId: string;
  role: Role;
}

/** What a tail begins with. */
const lastEvents = 20;
/** A client that does not keep up misses the oldest. */
const mostWaiting = 1000;

/**
 * The last events, then those that come, oldest first in each batch; one that is still being sent comes again when it is answered, and any may come twice:
 * the id tells. Ends with the signal or the server.
 */
async function* tailEvents(
  { sql, tail, stopping }: Pick<AdminContext, "sql" | "tail" | "stopping">,
  { accountId, role }: Watcher,
  siteId: string | undefined,
  signal: AbortSignal,
) {
  let waiting: EventRow[] = [];
  let wake = (): void => undefined;
  const unwatch = tail.watch(accountId, (events) => {
    waiting = [...waiting, ...events.filter((event) => siteId === undefined || event.site_id === siteId)].slice(-mostWaiting);
    wake();
  });
  const signals = [signal, stopping];
  // However many watch, they end with one server.
  setMaxListeners(0, stopping);
  const end = (): void => wake();
  for (const each of signals) each.addEventListener("abort", end);
  try {
    waiting.unshift(...(await listEvents(sql, accountId, { siteId }, { from: null, before: null, limit: lastEvents })).toReversed());
    while (!signals.some(({ aborted }) => aborted)) {
      const batch = waiting;
      waiting = [];
      yield { events: batch.map((event) => presentEvent(event, role)) };
      while (waiting.length === 0 && !signals.some(({ aborted }) => aborted)) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unwatch();
    for (const each of signals) each.removeEventListener("abort", end);
  }
}

const presentEvent = (row: EventRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  source: shownText(row.source, role),
  name: shownText(row.name, role),
  test: row.test,
  dryRun: row.dry_run,
  receivedAt: new Date(uuidTime(row.id)).toISOString(),
  orderId: row.order_id,
  idempotencyKey: row.idempotency_key && shownText(row.idempotency_key, role),
  bindingsRun: row.bindings_run,
  /** Null until the event is answered. */
  chat: row.chat,
  recipientsSent: row.recipients_sent,
  recipientsFailed: row.recipients_failed,
  /** How often it came again with its key; those sent nothing. */
  duplicates: row.replays,
});

/** The text received, or what of it the caller may see; null when it was forgotten before its event. */
const presentPayload = (payload: string | null, role: Role): string | null =>
  payload === null || seesPhones(role) ? payload : maskPayload(payload);
