import { afterAll, beforeAll, expect, test } from "vitest";
import { type LongLog, openLongLog, seldom, usual } from "../../../../test/support/database.ts";
import { planOf } from "../../../../test/support/database.ts";
import { testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { listEvents } from "../event/log.ts";
import { inTransaction } from "../transaction.ts";
import { listNotifications, type NotificationFilter } from "./log.ts";
import { countDays, findSitesToCount, countNotifications } from "./statistics.ts";

/** `LOG_ROWS=1000000` asks for what must hold of a log of any length. */
const rows = Number(process.env["LOG_ROWS"] ?? 50_000);

let database: TestDatabase;
let log: LongLog;
beforeAll(async () => {
  database = await testDatabase();
  log = await openLongLog(database.sql, rows);
}, 600_000);
afterAll(() => database[Symbol.asyncDispose]());

const firstPage = { from: null, before: null, limit: 51 };

/** Filters, and how many of the log's rows one page may look at: no more than it shows, some from each site, or all that there are where those are few. */
const filters: Record<string, { filter: NotificationFilter; found: number; read: number }> = {
  nothing: { filter: {}, found: 51, read: 250 },
  "failed ones": { filter: { status: "failed" }, found: 51, read: 250 },
  "what waits to be sent, where nothing does": { filter: { status: "queued" }, found: 0, read: 50 },
  "what is being sent, where nothing is": { filter: { status: "sending" }, found: 0, read: 50 },
  "read ones": { filter: { status: "read" }, found: 51, read: 500 },
  "one phone": { filter: { phone: [seldom.phone] }, found: rows / 20_000 > 51 ? 51 : Math.ceil((rows - 7) / 20_000), read: 200 },
  "one phone in two spellings": {
    filter: { phone: ["c1.x", seldom.phone] },
    found: rows / 20_000 > 51 ? 51 : Math.ceil((rows - 7) / 20_000),
    read: 200,
  },
  "nobody's phone": { filter: { phone: ["+4900000000"] }, found: 0, read: 0 },
  "a usual template": { filter: { template: usual.template }, found: 51, read: 800 },
  "a seldom template": { filter: { template: seldom.template }, found: Math.min(51, rows / 10_000), read: 300 },
  "no template": { filter: { template: "order_none" }, found: 0, read: 0 },
  "a usual event": { filter: { event: usual.event }, found: 51, read: 1500 },
  "a seldom event": { filter: { event: seldom.event }, found: Math.min(51, rows / 10_000), read: 300 },
  "template and event": { filter: { event: seldom.event, template: seldom.template }, found: Math.min(51, rows / 10_000), read: 250 },
  "a failure of a template": { filter: { status: "failed", template: usual.template }, found: 51, read: 2000 },
  "one message id": { filter: { waMessageId: [seldom.waMessageId] }, found: 1, read: 5 },
  "one message id in two spellings": { filter: { waMessageId: ["c1.x", seldom.waMessageId] }, found: 1, read: 5 },
  "one id, whatever it is of": { filter: { anyId: "019aa000-0000-7000-8000-0000000000aa" }, found: 0, read: 20 },
};

test.each(Object.entries(filters))("a page of a long log, by %s, reads little more than itself", async (_, { filter, found, read }) => {
  const query = () => listNotifications(database.sql, log.accountId, filter, firstPage);
  expect(await query()).toHaveLength(found);
  const plan = await planOf(database.sql, query());
  expect(plan.scanned).toEqual([]);
  expect(plan.rowsRead).toBeLessThanOrEqual(read);
});

test.each([
  ["usual", usual.event, 51],
  ["seldom", seldom.event, Math.min(51, rows / 10_000)],
])("so does a page of %s events", async (_, name, found) => {
  const query = () => listEvents(database.sql, log.accountId, { name }, firstPage);
  expect(await query()).toHaveLength(found);
  const plan = await planOf(database.sql, query());
  expect(plan.scanned).toEqual([]);
  expect(plan.rowsRead).toBeLessThanOrEqual(300);
});

test("and the statistics read the last two days", async () => {
  const query = (weeks: number) =>
    countNotifications(database.sql, {
      accountId: log.accountId,
      siteId: null,
      from: new Date(Date.now() - weeks * 7 * 86_400_000),
      to: new Date(),
      timezone: "UTC",
    });
  const exact = await query(9);
  for (const siteId of await findSitesToCount(database.sql, 10)) {
    while (await inTransaction(database.sql, async (sql) => countDays(sql, siteId)));
  }
  await database.sql`vacuum analyze notification_day`;
  expect(await query(9)).toEqual(exact);
  expect(exact.filter(({ by }) => by === "day").reduce((sum, { count }) => sum + count, 0)).toBe(rows);
  const plan = await planOf(database.sql, query(9));
  expect(plan.scanned.filter((table) => !table.startsWith("notification_day"))).toEqual([]);
  // Of 56 days two are read from the log, and a few counts for each day.
  expect(plan.rowsRead).toBeLessThan((rows * 3) / 56 + 5_000);
});
