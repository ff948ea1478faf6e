import { writeSearchRows } from "shared/db/event/search-rows";
import { expect, test } from "vitest";
import { idAt, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());
const phone = "+491701234567";
const start = Date.parse("2026-11-02T08:00:00Z");
const minute = 60_000;

interface Logged {
  n: number;
  isAdas: boolean;
  event: { id: string; site_id: string; order_id: string | null };
  message: Record<"id" | "site_id" | "event_id" | "to_phone" | "status" | "template", string> &
    Record<"error_code" | "resent_as", string | null>;
}

/** Events in three weeks, of which 1,200 came at one moment; every other one is Ada's, and has a word and a phone more than the others. */
async function openLog() {
  const shop = await openBoundShop(resources);
  const { sql } = resources;
  const { siteId, accountId, base, api } = shop;
  const { id: webhook_id } = (await api.webhooks.create({ siteId, url: "https://hooks.example.com/", types: ["message.sent"] })).webhook;
  const [order_id, often_id] = [idAt(start), idAt(start)];
  const timeOf = (n: number) => start + (n < 1_000 ? n : n < 2_200 ? 1_000 : n - 1_199) * 15 * minute;
  const log = Array.from({ length: 3_000 }, (_, n): Logged => {
    const [isAdas, isLate] = [n % 2 === 0, n % 97 === 0];
    const event = { id: idAt(timeOf(n)), site_id: siteId, order_id: n % 2 === 1 ? often_id : n === 0 ? order_id : null };
    const status = n % 300 === 10 ? "scheduled" : n % 60 === 0 ? "failed" : "read";
    const message = {
      id: idAt(timeOf(n) + (isLate ? 40 * minute : 5)),
      site_id: siteId,
      event_id: event.id,
      to_phone: isAdas ? phone : "+491709999999",
      template: n % 150 === 0 || n % 600 === 10 ? "seldom" : "order_created",
      status,
      error_code: status === "failed" ? "131026" : null,
      resent_as: null,
    };
    return { n, isAdas, event, message };
  });
  const given = { source: "generic", name: "order.created", test: false, dry_run: false, bindings_run: 1, chat: "sent" };
  await sql`insert into event ${sql(log.map(({ event }) => ({ ...event, ...given })))}`;
  const sent = {
    account_id: accountId,
    binding_id: base.templateId,
    template_id: base.templateId,
    language: "en",
    event: "order.created",
    position: 0,
    components: "[]",
  };
  const add = async (rows: readonly Logged[]) =>
    await sql`insert into notification ${sql(rows.map(({ message }) => ({ ...message, ...sent })))}`;
  await add(log);
  // Most of the older ones were sent again today.
  const repeats = log
    .filter(({ n, isAdas, message }) => isAdas && n < 2_300 && message.status !== "scheduled")
    .map((of, at) => ({ ...of, message: { ...of.message, id: idAt(start + 30 * 1_440 * minute + at), status: "sent", error_code: null } }));
  await add(repeats);
  await sql`
    update notification r set resend_of = o.id from notification o where r.site_id = ${siteId} and r.status = 'sent' and o.site_id = r.site_id and o.event_id = r.event_id and o.id <> r.id`;
  await sql`update notification o set resent_as = r.id from notification r where r.site_id = ${siteId} and o.site_id = r.site_id and o.id = r.resend_of`;
  const waiting = log.filter(({ message }) => message.status === "scheduled");
  for (const [at, { event, message }] of waiting.entries())
    await sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      select ${siteId}, ${message.id}, ${accountId}, ${event.id}, ${base.templateId}, 'digest', at, at from (select now() + ${at + 1} * interval '1 hour' as at) t`;
  const told = log
    .filter(({ n }) => n % 30 === 0)
    .map(({ n, event, message }) => ({ event, isAdas: n % 2 === 0, id: idAt(start + 9e9 - n), notification_id: message.id }));
  for (const { event, id, notification_id } of told)
    await sql`insert into webhook_delivery ${sql({ id, webhook_id, type: "message.sent", site_id: siteId, event_id: event.id, notification_id, occurred_at: new Date(start) })}`;
  const orderOf = (id: string, number: string) => ({ id, site_id: siteId, external_id: id, number, last_event_id: idAt(start) });
  await sql`insert into customer_order ${sql([orderOf(order_id, "199"), orderOf(often_id, "7")])}`;
  const words = log.map(({ isAdas, n, event }) => ({
    id: event.id,
    site_id: siteId,
    account_id: accountId,
    words: ["199", ...(isAdas ? ["lovelace"] : []), ...(n % 700 === 0 ? ["seldom"] : [])],
    open_words: [],
    customer: null,
  }));
  await writeSearchRows(sql, words);
  const newest = log.filter(({ n }) => repeats.every((repeat) => repeat.n !== n)).concat(repeats);
  return { ...shop, log, newest, waiting, told };
}

/** All pages of a list. */
async function walk<Input extends object>(
  list: (input: Input & { cursor: string | null; limit: number }) => Promise<{ items: { id: string }[]; nextCursor: string | null }>,
  input: Input,
) {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list({ ...input, cursor, limit: 150 });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

/** How many a list has, by all the parts of its count. */
async function countAll<Input extends object>(count: Count<Input>, input: Input, cursor: string | null = null): Promise<number> {
  const { total, more, next } = await count({ ...input, cursor });
  expect(more).toBe(next !== null);
  return next === null ? total : total + (await countAll(count, input, next));
}
type Count<Input> = (input: Input & { cursor: string | null }) => Promise<{ total: number; more: boolean; next: string | null }>;

const newestFirst = (ids: string[]) => ids.toSorted().toReversed();

test("a search beside every other filter lists each match once, however many others are newer", async () => {
  const { api, log, newest, waiting, told } = await openLog();
  const isSeldom = ({ n }: Logged) => n % 700 === 0;
  const has = (status: string) => (one: Logged) => one.isAdas && one.message.status === status;
  const isFew = ({ message }: Logged) => message.template === "seldom";
  const today = new Date(start + 29 * 1_440 * minute).toISOString();
  const cases: [object, (one: Logged) => boolean][] = [
    [{ search: "lovelace" }, ({ isAdas }) => isAdas],
    [{ search: "lovelace", status: "failed" }, has("failed")],
    [{ search: "lovelace", errorCode: "131026" }, has("failed")],
    [{ search: "lovelace", from: today }, has("sent")],
    [{ search: "lovelace", template: "seldom" }, isFew],
    [{ failedFrom: new Date(start).toISOString(), template: "seldom" }, (one) => isFew(one) && has("failed")(one)],
    [{ failedFrom: new Date(start).toISOString(), template: "order_created" }, (one) => !isFew(one) && has("failed")(one)],
    [{ search: phone, status: "failed" }, has("failed")],
    [{ search: `lovelace ${phone}`, status: "failed" }, has("failed")],
    [{ search: `seldom ${phone}` }, (one) => one.isAdas && isSeldom(one)],
    [{ search: "199", status: "failed" }, ({ message }) => message.status === "failed"],
    [{ search: "7", status: "read" }, ({ isAdas }) => !isAdas],
  ];
  for (const [input, isMatch] of cases) {
    const expected = newestFirst(newest.filter(isMatch).map(({ message }) => message.id));
    expect([input, await walk(api.notifications.list, input)]).toEqual([input, expected]);
    expect([input, await countAll(api.notifications.count, input)]).toEqual([input, expected.length]);
  }
  const ofEvents: [object, (one: Logged) => boolean][] = [
    [{ search: "199" }, () => true],
    [{ search: "199", outcome: "sent" }, () => true],
    [{ phone, event: "order.created" }, ({ isAdas }) => isAdas],
    [{ search: `seldom ${phone}` }, (one) => one.isAdas && isSeldom(one)],
    [{ search: "lovelace", orderNumber: "199" }, ({ n }) => n === 0],
    [{ search: "seldom", phone }, (one) => one.isAdas && isSeldom(one)],
    [{ search: "7", phone: "+491709999999" }, ({ isAdas }) => !isAdas],
    [{ search: log[1]?.event.order_id, phone: "+491709999999" }, ({ isAdas }) => !isAdas],
  ];
  for (const [input, isMatch] of ofEvents) {
    const expected = newestFirst(log.filter(isMatch).map(({ event }) => event.id));
    expect([input, await walk(api.events.list, input)]).toEqual([input, expected]);
    expect([input, await countAll(api.events.count, input)]).toEqual([input, expected.length]);
  }
  expect(await walk(api.webhookDeliveries.list, { search: "lovelace" })).toEqual(newestFirst(told.map(({ id }) => id)));
  expect(await countAll(api.webhookDeliveries.count, { search: "lovelace" })).toBe(told.length);
  const due = waiting.map(({ message }) => message.id);
  expect(await walk(api.notifications.scheduled, { search: "lovelace" })).toEqual(due);
  expect(await countAll(api.notifications.scheduledCount, { search: "lovelace" })).toBe(due.length);
  for (const template of ["seldom", "order_created"])
    expect(await api.notifications.cancelMany({ search: "lovelace", template })).toMatchObject({ cancelled: due.length / 2 });
});
