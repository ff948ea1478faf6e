import { afterAll, beforeAll, expect, test } from "vitest";
import { planOf, testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { newId } from "../ids.ts";
import { listNotifications } from "../notification/log.ts";
import type { Sql } from "../statement.ts";
import { countUnreached, findNamedOrders, findOrdersByNumber, listBusyHours, listEvents } from "./log.ts";

let database: TestDatabase;
let accountId: string;
beforeAll(async () => {
  database = await testDatabase();
  accountId = await openLongLog(database);
}, 60_000);
afterAll(() => database[Symbol.asyncDispose]());

const rowsASite = 20_000;

/** An account with two sites, and a long log that lies in several partitions. */
async function openLongLog({ sql, owner }: TestDatabase, rows = rowsASite): Promise<string> {
  const accountId = newId();
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'Test', 'verify')`;
  for (const week of ["2026-01-05", "2026-01-12", "2026-01-19"])
    await sql`select make_week_partition('event', ${week}::timestamptz), make_week_partition('notification', ${week}::timestamptz)`;
  for (const siteId of [newId(), newId()]) {
    await sql`insert into site (id, account_id, name, url, source_type) values (${siteId}, ${accountId}, 'Shop', 'https://shop.example', 'generic')`;
    const ids = sql`select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '2 minutes')) for 8) || int8send(n), 'hex')::uuid as id, n
      from generate_series(1, ${rows}::bigint) n`;
    await sql`insert into event (id, site_id, source, name, test, dry_run, bindings_run)
      select id, ${siteId}, 'generic', 'order.created', false, false, 0 from (${ids}) made`;
    await sql`
      insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components)
      select id, ${siteId}, ${accountId}, id, id, id, 'order_created', 'en', '+491701234567', 0, 'sent', '[]' from (${ids}) made`;
  }
  await owner`analyze`;
  return accountId;
}

/** How many rows of the log and of orders the work reads, through its indexes or not. */
const rowsRead = (work: (sql: Sql) => Promise<unknown>): Promise<number> =>
  database.sql.begin(async (sql) => {
    const before = await readSoFar(sql);
    await work(sql);
    return (await readSoFar(sql)) - before;
  });

async function readSoFar(sql: Sql): Promise<number> {
  const [row] = await sql<[{ read: number }]>`
    select (coalesce(sum(seq_tup_read), 0) + coalesce(sum(idx_tup_fetch), 0))::int as read
    from pg_stat_xact_user_tables where relname ~ '^(event|notification|customer_order)'`;
  return row.read;
}

test("a page of a long log reads little more than itself, wherever it lies", async () => {
  const middle = "019b7000-0000-0000-0000-000000000000";
  for (const before of [null, "019bba00-0000-0000-0000-000000000000", middle]) {
    const page = { from: null, before, limit: 51 };
    let rows = 0;
    expect(await rowsRead(async (sql) => (rows = (await listEvents(sql, accountId, {}, page)).length))).toBeLessThan(150);
    expect(rows).toBe(before === middle ? 0 : 51);
    expect(await rowsRead((sql) => listNotifications(sql, accountId, {}, page))).toBeLessThan(150);
  }
  const range = { from: "019bba00-0000-0000-0000-000000000000", before: "019bbb00-0000-0000-0000-000000000000", limit: 201 };
  expect(await rowsRead((sql) => listEvents(sql, accountId, {}, range))).toBeLessThan(1000);
});

test("events that reached nobody are counted and listed by their index, of a site at most so many", async () => {
  const [first] = await database.sql<{ id: string }[]>`select id from site where account_id = ${accountId} order by id`;
  const key = "no_country customer.phone";
  const most = 1_000;
  await database.sql`update event set unreached = ${key} where site_id = ${first?.id ?? ""} and right(id::text, 2) in ('00', '77')`;
  await database.owner`analyze`;
  const range = { from: "019bba00-0000-0000-0000-000000000000", before: "019bbb00-0000-0000-0000-000000000000" };
  for (const query of [
    () => countUnreached(database.sql, accountId, [], most),
    () => listEvents(database.sql, accountId, { unreached: "any" }, { from: null, before: null, limit: 51 }),
    () => listEvents(database.sql, accountId, { unreached: key }, { ...range, limit: 51 }),
  ]) {
    const plan = await planOf(database.sql, query());
    expect(plan.scanned).toEqual([]);
    expect(plan.rowsRead).toBeLessThan(500);
  }
  await database.sql`update event set unreached = ${key} where site_id = ${first?.id ?? ""}`;
  await database.owner`vacuum analyze event`;
  expect((await planOf(database.sql, countUnreached(database.sql, accountId, [], most))).rowsRead).toBeLessThan(3 * most);
});

test("a week's busy hours cost a look-up each, also in a log that would soon be read whole", async () => {
  await using small = await testDatabase();
  await openLongLog(small, 3_000);
  const sites = (await small.sql<{ id: string }[]>`select id from site`).map(({ id }) => ({ siteId: id, at: new Date("2026-01-05") }));
  expect((await planOf(small.sql, listBusyHours(small.sql, sites))).rowsRead).toBeLessThan(sites.length * 168);
  expect((await listBusyHours(small.sql, sites)).map(({ hours }) => hours.length)).toEqual([96, 96]);
});

test("an order is found by its number through an index alone, however many there are", async () => {
  const [site] = await database.sql<{ id: string }[]>`select id from site where account_id = ${accountId} order by id`;
  const siteId = site?.id ?? "";
  await database.sql`
    insert into customer_order (id, site_id, external_id, number, last_event_id)
    select gen_random_uuid(), case when n % 10 = 0 then ${newId()}::uuid else ${siteId}::uuid end, 'x' || n, n::text, gen_random_uuid() from generate_series(1, 30000) n`;
  await database.sql`analyze customer_order`;
  const find = (sql: Sql) => findOrdersByNumber(sql, accountId, siteId, ["27777", "c1.none"], 10);
  expect((await planOf(database.sql, find(database.sql))).indexes).toContain("customer_order_number");
  expect(await rowsRead(async (sql) => expect((await find(sql)).map(({ number }) => number)).toEqual(["27777"]))).toBeLessThan(5);
  const names = { references: ["27777"], numbers: ["27777", "c1.none"] };
  expect(await rowsRead(async (sql) => findNamedOrders(sql, accountId, undefined, names))).toBeLessThan(20);
});
