import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planOf, testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { openShop, type Shop } from "../../../../test/support/gateway.ts";
import { countScheduled, findScheduledEnd, listScheduled, type ScheduledFilter } from "./list.ts";

/** The number of rows. `WAITING_ROWS=1000000` checks facts that must hold however many wait. */
const rows = Number(process.env["WAITING_ROWS"] ?? 20_000);

let database: TestDatabase;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase();
  shop = await openShop(database.sql);
  await fill(shop, { from: 1, to: rows, due: "now() + interval '1 hour' + n * interval '1 second'" });
  await fill(shop, { from: rows + 1, to: 2 * rows, due: "now() - n * interval '1 second'", status: "queued" });
  await database.owner`analyze waiting_message, notification`;
}, 600_000);
afterAll(() => database[Symbol.asyncDispose]());

/** Adds waiting messages, each to its own phone; `due` may use `n`. */
async function fill(at: Shop, { from, to, due, status = "scheduled" }: { from: number; to: number; due: string; status?: string }) {
  const { sql } = database;
  await sql`
    with made as materialized (
      select gen_id.id, n, ${sql.unsafe(due)} as due from generate_series(${from}::integer, ${to}::integer) n
        cross join lateral (select ('019aa000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id) gen_id
    ),
    logged as (
      insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components, event)
      select id, ${at.siteId}, ${at.accountId}, id, id, id, case when n % 100 = 0 then 'seldom' else 'usual' end, 'en', '+49' || n, 0, ${status}::notification_status, '[]', 'a.b'
      from made
    )
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select ${at.siteId}, id, ${at.accountId}, id, id, 'hash ' || n, due, due from made`;
}

const list = (filter: ScheduledFilter = {}, before: string | null = null, limit = 51, from: string | null = null) =>
  listScheduled(database.sql, shop.accountId, filter, { before, from, limit });
const count = (filter: ScheduledFilter, limit: number) =>
  countScheduled(database.sql, shop.accountId, filter, { before: null, from: null, limit });
const numbers = (found: readonly { to_phone: string }[]) => found.map(({ to_phone }) => Number(to_phone.slice(3)));

describe("what waits", () => {
  test("comes in the order in which it leaves, page by page, without what is on its way", async () => {
    const first = await list();
    expect(numbers(first)).toEqual(Array.from({ length: 51 }, (_, index) => index + 1));
    const last = first.at(-1);
    const second = await list({}, `${last?.leaves_at} ${last?.id}`, 3);
    expect(numbers(second)).toEqual([52, 53, 54]);
  });

  test("is paged without a gap where all is due at one moment", async () => {
    const sale = await openShop(database.sql);
    await fill(sale, { from: 3 * rows, to: 3 * rows + 9, due: "date_trunc('day', now()) + interval '2 days 0.000001 seconds'" });
    const seen: number[] = [];
    for (let before: string | null = null; ;) {
      const page = await listScheduled(database.sql, sale.accountId, {}, { before, from: null, limit: 4 });
      const last = page.at(-1);
      if (last === undefined) break;
      seen.push(...numbers(page));
      before = `${last.leaves_at} ${last.id}`;
    }
    expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => 3 * rows + index));
  });

  test.each([
    ["nothing", {}, 51, 110],
    ["one phone", { phoneHash: "hash 7" }, 1, 4],
    ["nobody's phone", { phoneHash: "hash of nobody" }, 0, 2],
  ] as const)("is read alone, filtered by %s, however much there is", async (_, filter, found, read) => {
    expect(await list(filter)).toHaveLength(found);
    const plan = await planOf(database.sql, list(filter));
    expect(plan.scanned).toEqual([]);
    expect(plan.rowsRead).toBeLessThanOrEqual(read);
  });

  test("is looked through for a template among the first ten thousand", async () => {
    expect(numbers(await list({ template: "seldom" })).slice(0, 3)).toEqual([100, 200, 300]);
    expect(await count({ template: "seldom" }, 5000)).toEqual({ listed: 100, scheduled: 100 });
    const plan = await planOf(database.sql, list({ template: "none" }));
    expect(plan.rowsRead).toBeLessThanOrEqual(20_100);
    // A page of the list goes through them in stretches, each behind the one before.
    const end = await findScheduledEnd(database.sql, shop.accountId, { template: "seldom" }, { before: null });
    expect(numbers(await list({ template: "seldom" }, null, 51, end))).toEqual([100, 200, 300, 400]);
    expect(numbers(await list({ template: "seldom" }, end, 1))).toEqual([500]);
  });

  test("is counted as far as asked", async () => {
    expect([await count({}, 501), await count({ phoneHash: "hash 7" }, 501)].map(({ listed }) => listed)).toEqual([501, 1]);
  });

  test("is all there is at a paused site, what was due first", async () => {
    await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
    const [first, second] = await list();
    expect(await count({ due: true }, 501)).toEqual({ listed: 501, scheduled: 0 });
    await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    expect(numbers([first, second].filter((row) => row !== undefined))).toEqual([2 * rows, 2 * rows - 1]);
  });
});
