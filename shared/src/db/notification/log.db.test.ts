import { afterAll, beforeAll, expect, test } from "vitest";
import { type LongLog, openLongLog, seldom, usual, planOf, testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { listUnfired } from "../binding.ts";
import { countOutcomesOfEvents, countUnreached, listEvents, listLatestTraces, listTraces } from "../event/log.ts";
import { newId } from "../ids.ts";
import { countFailures } from "../problem/failures.ts";
import { listSiteStates } from "../site.ts";
import { inTransaction } from "../statement.ts";
import { listNotifications, type NotificationFilter } from "./log.ts";
import { findByWaMessageIds, readReported } from "./reported.ts";
import { countDays, countErrors, mostFailures, findSitesToCount, countNotifications, mostOfKind, readTemplateUse } from "./statistics.ts";

/**
 * The number of rows. `LOG_ROWS=1000000` checks facts that must hold for a log of any length. With half of the rows PostgreSQL rightly reads the shortest
 * week whole for 100 ids.
 */
const rows = Number(process.env["LOG_ROWS"] ?? 50_000);

let database: TestDatabase;
let log: LongLog;
beforeAll(async () => {
  database = await testDatabase();
  log = await openLongLog(database, rows);
}, 600_000);
afterAll(() => database[Symbol.asyncDispose]());

const wholeLog = { from: null, before: null };
const firstPage = { from: null, before: null, limit: 51 };

const absentIds = Array.from({ length: 100 }, (_, index) => `019aa000-0000-7000-8000-${String(index).padStart(12, "0")}`);

const ofPhone = { found: rows / 20_000 > 51 ? 51 : Math.ceil((rows - 7) / 20_000), read: 200 };
/** Filters, and how many of the log's rows one page may look at: only those that it shows, some from each site, or all if there are few. */
const filters: Record<string, { filter: NotificationFilter; found: number; read: number }> = {
  nothing: { filter: {}, found: 51, read: 250 },
  "failed ones": { filter: { status: "failed" }, found: 51, read: 250 },
  "what waits to be sent, where nothing does": { filter: { status: "queued" }, found: 0, read: 50 },
  "what is being sent, where nothing is": { filter: { status: "sending" }, found: 0, read: 50 },
  // The ids of all failed ones are read, and 51 messages.
  "those that failed lately": { filter: { failedFrom: new Date(Date.now() - 7 * 86_400_000) }, found: 51, read: rows / 30 },
  "tests, where there are none": { filter: { test: true }, found: 0, read: 0 },
  "cancelled ones, where there are none": { filter: { status: "cancelled" }, found: 0, read: 0 },
  "a code that no message has": { filter: { status: "failed", errorCodes: ["1", "2"] }, found: 0, read: 0 },
  "read ones": { filter: { status: "read" }, found: 51, read: 500 },
  "one phone": { filter: { phone: [seldom.phone] }, ...ofPhone },
  "one phone in two spellings": { filter: { phone: ["c1.x", seldom.phone] }, ...ofPhone },
  "nobody's phone": { filter: { phone: ["+4900000000"] }, found: 0, read: 0 },
  "a usual template": { filter: { template: usual.template }, found: 51, read: 800 },
  "a seldom template": { filter: { template: seldom.template }, found: Math.min(51, rows / 10_000), read: 300 },
  "no template": { filter: { template: "order_none" }, found: 0, read: 0 },
  "a usual event": { filter: { event: usual.event }, found: 51, read: 1500 },
  "a seldom event": { filter: { event: seldom.event }, found: Math.min(51, rows / 10_000), read: 300 },
  "template and event": { filter: { event: seldom.event, template: seldom.template }, found: Math.min(51, rows / 10_000), read: 250 },
  "a failure of a template": { filter: { status: "failed", template: usual.template }, found: 51, read: 2000 },
  "chosen messages": { filter: { ids: absentIds }, found: 0, read: 20 },
  "chosen events": { filter: { status: "failed", eventIds: absentIds }, found: 0, read: 20 },
  "one id, whatever it is of": { filter: { anyId: "019aa000-0000-7000-8000-0000000000aa" }, found: 0, read: 20 },
};

test.each(Object.entries(filters))("a page of a long log, by %s, reads little more than itself", async (_, { filter, found, read }) => {
  const query = () => listNotifications(database.sql, log.accountId, filter, firstPage);
  expect(await query()).toHaveLength(found);
  const plan = await planOf(database.sql, query());
  expect(plan.scanned).toEqual([]);
  expect(plan.rowsRead).toBeLessThanOrEqual(read);
});

test("a message is found by the platform's id in two spellings, and its page reads it alone", async () => {
  const query = () => findByWaMessageIds(database.sql, log.accountId, ["c1.x", seldom.waMessageId], null);
  expect((await planOf(database.sql, query())).rowsRead).toBeLessThanOrEqual(5);
  const sentAs = (await query()).map(({ id }) => id);
  const list = () => listNotifications(database.sql, log.accountId, { sentAs }, firstPage);
  expect([await list(), sentAs]).toMatchObject([[{ id: sentAs[0] }], [expect.any(String)]]);
  expect((await planOf(database.sql, list())).rowsRead).toBeLessThanOrEqual(5);
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

const noCodes = { platform_stopped: [], template_refused: [], binding_cannot_send: [] };

test.each([
  ["failures", () => countFailures(database.sql, log.accountId, { codes: noCodes, none: [], starts: [], stoppedAt: null, most: 100 }), 250],
  ["events that reach nobody", () => countUnreached(database.sql, log.accountId, [], 100), 250],
  ["outcomes of events", () => countOutcomesOfEvents(database.sql, log.accountId, wholeLog, 100, []), 250],
  [
    "reports",
    () => readReported(database.sql, log.accountId, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff"),
    250,
  ],
  ["bindings", () => listUnfired(database.sql, log.accountId, { least: 5, most: 100, starts: [] }), 10],
  ["sites", () => listSiteStates(database.sql, log.accountId), 30],
  ["latest traces", () => listLatestTraces(database.sql, log.accountId, wholeLog, 100), 250],
  [
    "traces",
    () =>
      listTraces(
        database.sql,
        log.siteIds.map((of_site) => ({ of_site, of_name: usual.event })),
        wholeLog,
        10,
      ),
    60,
  ],
])("a look for problems reads no more of a long log than a bound: %s", async (_, query, read) => {
  const plan = await planOf(database.sql, query() as never);
  expect(plan.scanned.filter((table) => /^(event|notification)/u.test(table))).toEqual([]);
  expect(plan.rowsRead).toBeLessThanOrEqual(read);
});

test("so does the use of templates, which steps through sites and events", async () => {
  const names = [...Array.from({ length: 7 }, (_, n) => `order_${n}`), "order_unused"];
  const ids = names.map(() => newId());
  await database.sql`
    insert into template (id, account_id, name, language, category, status, definition)
    select id, ${log.accountId}, name, 'en', 'UTILITY', 'approved', '{}' from unnest(${ids}::uuid[], ${names}::text[]) as t(id, name)`;
  const query = () => readTemplateUse(database.sql, log.accountId, ids, "00000000-0000-7000-8000-000000000000");
  expect(await query()).toHaveLength(8);
  const plan = await planOf(database.sql, query());
  expect(plan.scanned.filter((table) => table.startsWith("notification"))).toEqual([]);
  // There are two sites and four events of each name.
  expect(plan.rowsRead).toBeLessThan(7 * 2 * 4 * (mostOfKind + 5) * 1.2);
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
  for (const siteId of await findSitesToCount(database.sql, 10))
    while (await inTransaction(database.sql, async (sql) => countDays(sql, siteId)));
  await database.owner`vacuum analyze notification_day`;
  expect(await query(9)).toEqual(exact);
  expect(exact.filter(({ by }) => by === "day").reduce((sum, { count }) => sum + count, 0)).toBe(rows);
  const plan = await planOf(database.sql, query(9));
  expect(plan.scanned.filter((table) => !table.startsWith("notification_day"))).toEqual([]);
  // Two of 56 days are read from the log, and a few counts for each day.
  expect(plan.rowsRead).toBeLessThan((rows * 3) / 56 + 5_000);

  const errors = () =>
    countErrors(
      database.sql,
      { accountId: log.accountId, siteId: null, from: new Date(Date.now() - 63 * 86_400_000), to: new Date(), timezone: "UTC" },
      100,
    );
  const found = await errors();
  const exactErrors = exact.filter(({ by, error_code }) => by === "error" && error_code !== "");
  const codes = new Set(exactErrors.map(({ error_code }) => error_code));
  expect(new Set(found.map(({ error_code }) => error_code))).toEqual(codes);
  // If all failures were looked at, these are all of them.
  const whole = found.filter(({ more }) => !more).map(({ error_code, count }) => ({ error_code, count }));
  expect(exactErrors).toEqual(expect.arrayContaining(whole.map((row) => expect.objectContaining(row) as unknown)));
  const failed = await planOf(database.sql, errors());
  expect(failed.scanned.filter((table) => !table.startsWith("notification_day"))).toEqual([]);
  expect(failed.indexes.some((name) => /site_id_id_error_code|_failures/u.test(name))).toBe(true);
  const [counts] = await database.sql<[{ rows: number }]>`select count(*)::integer as rows from notification_day`;
  expect(failed.rowsRead).toBeLessThan(counts.rows + 3 * log.siteIds.length * (mostFailures + 100));
});
