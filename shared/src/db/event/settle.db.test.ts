import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { openShop, type Shop } from "../../../../test/support/gateway.ts";
import { newId } from "../ids.ts";
import type { Sql } from "../statement.ts";
import { type NotificationResult, settle } from "./settle.ts";

let database: TestDatabase;
let shop: Shop;

beforeAll(async () => {
  database = await testDatabase();
  shop = await openShop(database.sql);
});
afterAll(async () => database?.[Symbol.asyncDispose]());

interface Underway {
  event: string;
  owner: string;
  /** The ids of the messages: the first is being sent, the others are queued. */
  messages: string[];
}

async function claimed(count: number, attempt = 1): Promise<Underway> {
  const [event, owner] = [newId(), newId()];
  const messages = Array.from({ length: count }, newId);
  await database.sql`
    insert into event (id, site_id, source, name, test, dry_run, bindings_run, owner)
    values (${event}, ${shop.siteId}, 'generic', 'order.created', false, false, 1, ${owner})`;
  for (const [position, id] of messages.entries()) {
    await database.sql`
      insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, attempt, components)
      values (${id}, ${shop.siteId}, ${shop.accountId}, ${event}, ${shop.bindingId}, ${shop.templateId}, 't', 'en', '+15551230001', ${position},
        ${position === 0 ? "sending" : "queued"}, ${attempt}, '[]')`;
  }
  return { event, owner, messages };
}

const takeOver = async ({ event }: Underway): Promise<void> => {
  await database.sql`update event set owner = ${newId()} where id = ${event}`;
};

function result({ event, messages }: Underway, changes: Partial<NotificationResult> = {}): NotificationResult {
  const said = { wa_message_id: null, error_code: null, error_reason: null, error_detail: null };
  return { site_id: shop.siteId, event_id: event, id: messages[0] ?? "", attempt: 1, status: "sent", local: false, ...said, ...changes };
}

const progress = ({ event, owner }: Underway, chat: string | null) => ({
  site_id: shop.siteId,
  id: event,
  owner,
  chat,
  recipients_sent: 1,
  recipients_failed: 0,
});

const next = ({ event, messages }: Underway) => messages.slice(1).map((id) => ({ site_id: shop.siteId, event_id: event, id }));

const log = async ({ event }: Underway) =>
  await database.sql`select status::text, wa_message_id, error_code from notification where event_id = ${event} order by position`;

const stored = async ({ event }: Underway) => await database.sql`select chat from event where id = ${event}`;

test("a wave is recorded, the next marked and the event finished, however often the same is said", async () => {
  const mine = await claimed(2);
  const first = { results: [result(mine, { wa_message_id: "w1" })], next: next(mine), event: progress(mine, null), hasWebhooks: false };
  for (let i = 0; i < 2; i += 1) expect(await settle(database.sql, [first])).toEqual([true]);
  expect(await log(mine)).toMatchObject([{ status: "sent", wa_message_id: "w1" }, { status: "sending" }]);
  expect(await stored(mine)).toMatchObject([{ chat: null }]);
  const last = {
    results: [result(mine, { id: mine.messages[1] ?? "", wa_message_id: "w2" })],
    next: [],
    event: progress(mine, "sent"),
    hasWebhooks: false,
  };
  for (let i = 0; i < 2; i += 1) expect(await settle(database.sql, [last])).toEqual([true]);
  expect(await log(mine)).toMatchObject([{ status: "sent" }, { status: "sent", wa_message_id: "w2" }]);
  expect(await stored(mine)).toMatchObject([{ chat: "sent" }]);
});

test("of an event that another has taken over only the platform's word counts", async () => {
  const [lost, kept] = [await claimed(3), await claimed(1)];
  await takeOver(lost);
  const failure = { status: "failed" as const, local: true, error_code: "deadline" };
  const results = [result(lost, { wa_message_id: "w3" }), result(lost, { ...failure, id: lost.messages[2] ?? "" }), result(kept, failure)];
  const owned = await settle(database.sql, [
    { results: results.slice(0, 2), next: next(lost).slice(0, 1), event: progress(lost, "partial"), hasWebhooks: false },
    { results: results.slice(2), next: [], event: progress(kept, "failed"), hasWebhooks: false },
  ]);
  expect(owned).toEqual([false, true]);
  expect(await log(lost)).toMatchObject([
    { status: "sent", wa_message_id: "w3" },
    { status: "queued" },
    { status: "queued", error_code: null },
  ]);
  expect(await stored(lost)).toMatchObject([{ chat: null }]);
  expect(await log(kept)).toMatchObject([{ status: "failed", error_code: "deadline" }]);
});

test("a refusal of an earlier attempt says nothing against a later one", async () => {
  const mine = await claimed(1, 2);
  const [next, event] = [[], progress(mine, "sent")];
  await settle(database.sql, [{ results: [result(mine, { attempt: 2, wa_message_id: "w4" })], next, event, hasWebhooks: false }]);
  await settle(database.sql, [{ results: [result(mine, { status: "failed", error_code: "131026" })], next, event, hasWebhooks: false }]);
  expect(await log(mine)).toMatchObject([{ status: "sent", wa_message_id: "w4", error_code: null }]);
});

test("only the week of the event is touched", async () => {
  const mine = await claimed(1);
  for (const table of ["event", "notification"]) await database.sql`select make_week_partition(${table}, now() - interval '7 days')`;
  const touched = await database.sql.begin(async (sql) => {
    await settle(sql, [{ results: [result(mine)], next: next(mine), event: progress(mine, "sent"), hasWebhooks: false }]);
    return await sql<{ name: string }[]>`
      select distinct regexp_replace(relation::regclass::text, '_.*', '') as name, relation::regclass::text as partition
      from pg_locks where pid = pg_backend_pid() and relation in (
        select inhrelid from pg_inherits where inhparent in ('event'::regclass, 'notification'::regclass))
      order by 1`;
  });
  expect(touched.map(({ name }) => name)).toEqual(["event", "notification"]);
});

test("a wave's record that arrives late, after the event was finished, leaves the answer as it was given", async () => {
  const mine = await claimed(2);
  const first = { results: [result(mine, { wa_message_id: "w1" })], next: next(mine), event: progress(mine, null), hasWebhooks: false };
  const last = { results: [result(mine, { id: mine.messages[1] ?? "", wa_message_id: "w2" })], next: [], hasWebhooks: false };
  await settle(database.sql, [first]);
  await settle(database.sql, [{ ...last, event: { ...progress(mine, "sent"), recipients_sent: 2 } }]);
  expect(await settle(database.sql, [first])).toEqual([true]);
  expect(await database.sql`select chat, recipients_sent from event where id = ${mine.event}`).toMatchObject([
    { chat: "sent", recipients_sent: 2 },
  ]);
  expect(await log(mine)).toMatchObject([{ status: "sent" }, { status: "sent" }]);
});

test("outcomes add almost nothing to the indexes: a row's new version stays on its page", async () => {
  const all: Underway[] = [];
  for (let n = 0; n < 300; n += 1) all.push(await claimed(1));
  const settlements = all.map((mine, n) => ({
    results: [result(mine, { wa_message_id: `w${n}` })],
    next: [],
    event: progress(mine, "sent"),
    hasWebhooks: false,
  }));
  const updates = async (sql: Sql): Promise<Record<string, number>> => {
    const rows = await sql<{ of: string; updated: number; onPage: number }[]>`
      select parent.relname as of, sum(pg_stat_get_xact_tuples_updated(inhrelid))::int as updated,
        sum(pg_stat_get_xact_tuples_hot_updated(inhrelid))::int as "onPage"
      from pg_inherits join pg_class parent on parent.oid = inhparent where parent.relname in ('event', 'notification') group by 1`;
    return Object.fromEntries(
      rows.flatMap(({ of, updated, onPage }) => [
        [of, updated],
        [`${of} on its page`, onPage],
      ]),
    );
  };
  const [before, after] = await database.sql.begin(async (sql) => {
    const counted = await updates(sql);
    for (const part of [settlements.slice(0, 200).toReversed(), settlements.slice(200)]) await settle(sql, part);
    return [counted, await updates(sql)];
  });
  const added = (of: string): number => (after[of] ?? 0) - (before[of] ?? 0);
  for (const table of ["event", "notification"]) {
    expect(added(table)).toBe(300);
    expect(added(`${table} on its page`)).toBeGreaterThan(270);
  }
  for (const [n, mine] of all.entries()) expect(await log(mine)).toMatchObject([{ status: "sent", wa_message_id: `w${n}` }]);
});
