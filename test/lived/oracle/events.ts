import { scaled } from "../../faults/harness/scale.ts";
import { countBy, groupBy, idsOf, type Look, newest, pick } from "./compare.ts";
import { isPhone } from "./messages.ts";
import type { EventRow, MessageRow, Rows } from "./rows.ts";
import { dayBegin, dayMs, iso, madeAt, timeOf, within } from "./times.ts";

/** Events, and what is told of one order and of one customer. */
export async function checkEvents(look: Look): Promise<void> {
  const events = outcomesOf(look.rows);
  await checkList(look, events);
  await checkFilters(look, events);
  await checkSome(look, events);
  await checkNames(look);
  await checkTimelines(look);
}

/**
 * What is told of an event: its answer, the messages that wait now, and in place of an answer that came before anything was sent the outcome, once nothing
 * waits any more. It is that of first attempts, and does not change when the platform fails a message later or somebody sends it again.
 */
function outcomesOf({ events, messages }: Rows): EventRow[] {
  const told = groupBy(messages, ({ eventId }) => eventId);
  return newest(events).map((event) => {
    if (event.dryRun) return event;
    const first = told.get(event.id)?.filter(({ resendOf }) => resendOf === null) ?? [];
    const count = (fits: (row: MessageRow) => boolean): number => first.filter(fits).length;
    const recipientsScheduled = count(({ status }) => status === "scheduled");
    if (event.chat !== "accepted" && event.chat !== "scheduled") return { ...event, recipientsScheduled };
    const isTaken = ({ status, waMessageId }: MessageRow): boolean =>
      waMessageId !== null || ["sent", "delivered", "read"].includes(status);
    const recipientsSent = count(isTaken);
    const recipientsFailed = count((row) => row.status === "failed" && !isTaken(row));
    const settled = recipientsSent === 0 ? (recipientsFailed > 0 ? "failed" : "scheduled") : recipientsFailed > 0 ? "partial" : "sent";
    const chat = count(({ status }) => ["scheduled", "queued", "sending"].includes(status)) > 0 ? event.chat : settled;
    return { ...event, chat, recipientsSent, recipientsFailed, recipientsScheduled };
  });
}

const plain = "siteId source name test dryRun orderId bindingsRun chat recipientsSent recipientsFailed recipientsScheduled duplicates";

async function checkList({ list, same, messages }: Look, events: EventRow[]): Promise<void> {
  const items = await list<{ id: string; recipients: number }>("events.list", {}, Infinity);
  same("events.list", idsOf(items), idsOf(events), "the newest first, tests and dry runs too");
  const rowOf = new Map(events.map((row) => [row.id, row]));
  const told = groupBy(messages, ({ eventId }) => eventId);
  for (const item of items) {
    const row = rowOf.get(item.id);
    if (row === undefined) continue;
    same(`events.list: ${item.id}`, pick(item, plain), pick({ ...row, duplicates: row.replays }, plain));
    const people = new Set(told.get(item.id)?.map(({ toPhone }) => toPhone)).size;
    if (!row.dryRun) same(`events.list: recipients of ${item.id}`, item.recipients, people, "the phones that its messages go to");
  }
}

type Filter = [input: object, expected: EventRow[]];

async function checkFilters({ lists, list, same, rows, messages, timezone, now }: Look, events: EventRow[]): Promise<void> {
  const by = (name: string, value: (row: EventRow) => unknown, count = 30): Filter[] => {
    const values = [...new Set(events.map(value))].filter((one) => one !== null).slice(0, count);
    return values.map((one) => [{ [name]: one }, events.filter((row) => value(row) === one)]);
  };
  const today = dayBegin(now.getTime(), timezone);
  const phones = [...new Set(messages.map(({ toPhone }) => toPhone))].filter(isPhone).slice(0, scaled(3, 10));
  const filters: Filter[] = [
    ...by("siteId", ({ siteId }) => siteId),
    ...by("event", ({ name }) => name),
    ...by("test", ({ test }) => test),
    ...by("dryRun", ({ dryRun }) => dryRun),
    ...by("outcome", ({ chat }) => chat),
    ...by("unreached", ({ unreached }) => unreached),
    [{ unreached: "any" }, events.filter(({ unreached }) => unreached !== null)],
    ...by("orderId", ({ orderId }) => orderId, scaled(3, 10)),
    [{ from: iso(today - 2 * dayMs), to: iso(today - 1) }, within(events, today - 2 * dayMs, today)],
    ...messages.slice(0, 3).map((row): Filter => [{ search: row.id }, events.filter(({ id }) => id === row.eventId)]),
    ...phones.map((phone): Filter => [{ phone }, events.filter(naming(phone, rows))]),
  ];
  for (const [input, expected] of filters) await lists("events.list", input, expected);
  const number = rows.orders.find((order) => /^[A-Z0-9-]{4,}$/.test(order.number ?? ""))?.number ?? "";
  const found = new Set(idsOf(number === "" ? [] : await list("events.list", { search: number }, Infinity)));
  const missing = events.filter(
    ({ id }) => number !== "" && rows.payloads.get(id)?.includes(`"number":"${number}"`) === true && !found.has(id),
  );
  same(`events.list search ${number}: missing`, idsOf(missing), []);
}

/** The events that name the phone, or have a message to it. */
function naming(phone: string, { messages, payloads }: Rows): (event: EventRow) => boolean {
  const told = new Set(messages.filter(({ toPhone }) => toPhone === phone).map(({ eventId }) => eventId));
  return ({ id }) => told.has(id) || payloads.get(id)?.includes(phone) === true;
}

type Told = { event: { duplicates: number; replays: { id: string }[]; trace: { summaryData: object | null } | null } };

/** Of every outcome some events, those with resends too: the summary tells what the list tells. */
async function checkSome({ ask, same, rows }: Look, events: EventRow[]): Promise<void> {
  const again = new Set(rows.messages.filter(({ resendOf }) => resendOf !== null).map(({ eventId }) => eventId));
  const groups = groupBy(events, ({ chat, dryRun, id }) => `${chat} ${dryRun} ${again.has(id)}`);
  for (const row of [...groups.values()].flatMap((group) => group.slice(0, scaled(3, 5)))) {
    const { event } = await ask<Told>("events.get", { id: row.id });
    const replays = rows.requested.filter(({ replayOf }) => replayOf === row.id);
    same(
      `events.get ${row.id}`,
      [event.duplicates, idsOf(newest(event.replays))],
      [row.replays, idsOf(newest(replays))],
      "duplicates, replays",
    );
    const summary = event.trace?.summaryData;
    const expected = { sent: row.recipientsSent, failed: row.recipientsFailed, scheduled: row.recipientsScheduled };
    if (summary != null && !row.dryRun) same(`events.get ${row.id}: summary`, pick(summary, "sent failed scheduled"), expected);
  }
}

/** Fields to which the documentation gives a meaning. */
const known =
  "customer.first_name customer.last_name customer.full_name customer.email customer.phone_e164 order.id order.number order.status order.total order.currency cart.id cart.total";

type Name = { name: string; lastSeenAt: string };
type Field = { path: string; lastSeenAt: string };

/** When each name came last, and each field that an event may have. */
async function checkNames({ ask, list, same, rows, sites }: Look): Promise<void> {
  for (const siteId of sites) {
    const kinds = groupBy(newest(rows.events.filter((event) => event.siteId === siteId)), ({ name }) => name);
    const names = await list<Name>("events.names", { siteId });
    const last = new Map([...kinds].map(([name, [event]]) => [name, timeOf(event)]));
    same(`events.names ${siteId}`, new Map(names.map(({ name, lastSeenAt }) => [name, lastSeenAt])), last);
    for (const [event, events] of [...kinds].slice(0, scaled(4, 10))) {
      const texts = events.map(({ id }) => ({ id, text: rows.payloads.get(id) ?? "" })).filter(({ text }) => text.startsWith("{"));
      const bodies = texts.map(({ id, text }) => ({ id, body: JSON.parse(text) as unknown }));
      const seen = known.split(" ").map((path) => [path, timeOf(bodies.find(({ body }) => valueAt(body, path) != null))] as const);
      const { fields } = await ask<{ fields: Field[] }>("events.fields", { siteId, event });
      const said = fields.filter(({ path }) => known.split(" ").includes(path)).map(({ path, lastSeenAt }) => [path, lastSeenAt] as const);
      if (bodies.length > 0) same(`events.fields ${siteId} ${event}`, new Map(said), new Map(seen.filter(([, at]) => at !== null)));
    }
  }
}

const valueAt = (value: unknown, path: string): unknown =>
  path.split(".").reduce((at, name) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined), value);

type Entry = { at: string; what: string; event?: { id: string }; message?: { id: string } };
type Timeline = { order?: { id: string }; others?: { id: string }[]; entries: Entry[]; truncated: boolean };

const told = ({ entries }: Timeline): string[] =>
  entries.map(({ at, what, event, message }) => `${at} ${what} ${event?.id ?? message?.id}`).toSorted();
const steps = (events: readonly EventRow[], messages: readonly MessageRow[]): string[] =>
  [...events.map((event) => `${timeOf(event)} received ${event.id}`), ...messages.flatMap(messageSteps)].toSorted();

/** A message's steps. The platform tells whole seconds, so a step stands at the one before it where its time would be earlier. */
function messageSteps(row: MessageRow): string[] {
  const lines = [`${timeOf(row)} made ${row.id}`];
  const add = (what: string, at: Date | null, before: number): number => {
    const ms = Math.max(at?.getTime() ?? 0, before);
    if (at !== null) lines.push(`${iso(ms)} ${what} ${row.id}`);
    return ms;
  };
  const sent = add("sent", row.sentAt, madeAt(row.id));
  add("read", row.readAt, add("delivered", row.deliveredAt, sent));
  add("failed", row.failedAt, sent);
  return lines;
}

/** Everything that happened for the orders and customers with the most events, of every attempt. */
async function checkTimelines({ ask, same, rows, messages }: Look): Promise<void> {
  const ofOrder = groupBy(rows.events, ({ orderId }) => orderId);
  const ofEvent = groupBy(rows.messages, ({ eventId }) => eventId);
  const eventsOf = ({ id }: { id: string }): EventRow[] => ofOrder.get(id) ?? [];
  for (const { id, siteId, externalId, number } of byEvents(rows).slice(0, scaled(5, 15))) {
    const events = eventsOf({ id });
    const timeline = await ask<Timeline>("orders.timeline", { id });
    const expected = steps(
      events,
      events.flatMap((event) => ofEvent.get(event.id) ?? []),
    );
    if (!timeline.truncated) same(`orders.timeline ${id}`, told(timeline), expected);
    for (const reference of [externalId, number].filter((text) => text !== null && /^[\w-]+$/.test(text))) {
      const found = await ask<Timeline>("orders.timeline", { siteId, reference }).catch(() => null);
      // Several orders may have the reference.
      const ids = [found?.order?.id, ...(found?.others?.map((one) => one.id) ?? [])];
      same(`orders.timeline ${reference}`, ids.includes(id), true, "by the site's own id or number");
    }
  }
  const phones = [...groupBy(messages, ({ toPhone }) => toPhone)].filter(([phone, { length }]) => isPhone(phone) && length <= 150);
  for (const [phone] of phones.slice(0, scaled(5, 15))) {
    const timeline = await ask<Timeline>("customers.timeline", { phone });
    const expected = steps(
      rows.events.filter(naming(phone, rows)),
      rows.messages.filter(({ toPhone }) => toPhone === phone),
    );
    if (!timeline.truncated) same(`customers.timeline ${phone}`, told(timeline), expected);
  }
}

/** The orders, those of which most events tell first. */
export function byEvents({ orders, events }: Rows): Rows["orders"] {
  const counts = countBy(events, ({ orderId }) => orderId);
  return orders.toSorted((one, other) => (counts[other.id] ?? 0) - (counts[one.id] ?? 0));
}
