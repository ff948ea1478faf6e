import { setMaxListeners } from "node:events";
import type { KnownField } from "shared/core/fields/known";
import { listEventsInput, tailEventsInput, eventFieldsInput, eventNamesInput } from "shared/core/input/log";
import { idInput } from "shared/core/input/values";
import { maskSample, maskPayload } from "shared/core/mask";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { findEventKinds, listEventKinds } from "shared/db/event-kind";
import { findEvent, listEvents, type EventRow } from "shared/db/event/log";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { notFound } from "../trpc/errors.ts";
import { readPage, requireSite, toLogPage } from "../trpc/paging.ts";
import { may, shownText } from "../trpc/roles.ts";
import { router, viewerProcedure } from "../trpc/trpc.ts";
import { traceEvent } from "./event-trace.ts";

export const eventsRouter = router({
  list: viewerProcedure.input(listEventsInput).query(({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const { siteId, event: name, orderId, test, dryRun } = input;
    return readPage(
      "events",
      input,
      async (page) => {
        await requireSite(ctx.sql, accountId, siteId);
        return listEvents(ctx.sql, accountId, { siteId, name, orderId, test, dryRun }, toLogPage(input, page));
      },
      (row) => presentEvent(row, role),
    );
  }),

  get: viewerProcedure.input(idInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    const row = await findEvent(ctx.sql, accountId, input.id);
    if (row === undefined) throw notFound("event");
    const trace = await traceEvent(ctx.sql, row, role);
    return { event: { ...presentEvent(row, role), payload: presentPayload(row.payload, role), trace } };
  }),

  tail: viewerProcedure.input(tailEventsInput).subscription(async function* ({ ctx, input: { siteId }, signal }) {
    await requireSite(ctx.sql, ctx.caller.accountId, siteId);
    yield* tailEvents(ctx, ctx.caller, siteId, signal ?? ctx.stopping);
  }),

  names: viewerProcedure.input(eventNamesInput).query(({ ctx, input }) =>
    readPage(
      "event names",
      input,
      async (page) => {
        await requireSite(ctx.sql, ctx.caller.accountId, input.siteId);
        await ctx.learner.catchUp(input.siteId);
        const kinds = await listEventKinds(ctx.sql, input.siteId, page);
        return kinds.map(({ name, last_event_id: id }) => ({ id, name }));
      },
      ({ id, name }) => ({ name: shownText(name, ctx.caller.role), lastSeenAt: timeOf(id) }),
    ),
  ),

  fields: viewerProcedure.input(eventFieldsInput).query(async ({ ctx, input: { siteId, event } }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, siteId);
    await ctx.learner.catchUp(siteId);
    const [kind] = await findEventKinds(ctx.sql, [{ site_id: siteId, name: event }]);
    return { fields: (kind?.fields ?? []).map((field) => presentField(field, ctx.caller.role)) };
  }),
});

/** How many stored events a tail begins with. */
const lastEvents = 20;
/** A client that does not keep up misses the oldest events beyond this. */
const mostWaiting = 1000;

/**
 * The last events, then new ones as they come, oldest first in each batch. An event comes again when it is answered, and any may come twice: clients tell by
 * the id. Ends with the signal or the server.
 */
async function* tailEvents(
  { sql, tail, stopping }: Pick<AdminContext, "sql" | "tail" | "stopping">,
  { accountId, role }: Pick<Caller, "accountId" | "role">,
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
  // Every watcher listens to the server's one signal: no warning about a leak.
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
  receivedAt: timeOf(row.id),
  orderId: row.order_id,
  idempotencyKey: row.idempotency_key && shownText(row.idempotency_key, role),
  bindingsRun: row.bindings_run,
  /** Null until the event is answered. */
  chat: row.chat,
  recipientsSent: row.recipients_sent,
  recipientsFailed: row.recipients_failed,
  /** How many requests repeated its idempotency key; they sent nothing. */
  duplicates: row.replays,
});

/** Null once retention has removed the payload. */
const presentPayload = (payload: string | null, role: Role): string | null =>
  payload === null || may(role, "seePhones") ? payload : maskPayload(payload);

/** A role that sees phones masked gets no sample that may be a phone, an address or a name. */
function presentField(field: KnownField, role: Role) {
  const { path, type, sample } = may(role, "seePhones") ? field : maskSample(field);
  return { path, type, sample, lastSeenAt: timeOf(field.last) };
}

const timeOf = (eventId: string): string => new Date(uuidTime(eventId)).toISOString();
