import { beforeEach, describe, expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../../test/support/admin-shops.ts";
import { data } from "../../../../test/support/data.ts";
import { testDatabase } from "../../../../test/support/database.ts";
import { openShop, type Shop } from "../../../../test/support/gateway.ts";
import { shared } from "../../../../test/support/shared.ts";
import { uuidFloor } from "../../core/uuid.ts";
import { inTransaction } from "../statement.ts";
import { countRecent, findBusySites } from "./recent.ts";
import { countAtLeast, countDays, findSitesToCount, countNotifications } from "./statistics.ts";
import { applyStatuses, type StatusChange } from "./statuses.ts";

const database = shared(async () => testDatabase());
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(database.sql);
});

const hour = 3_600_000;
const day = 24 * hour;
const ago = (ms: number): number => Date.now() - ms;

/** Adds a message of that moment. */
const add = (at: number, columns: Parameters<typeof insertNotification>[2] = {}) =>
  insertNotification(database.sql, { ...shop, eventId: shop.siteId }, { id: idAt(at), ...columns });

const countAll = async (): Promise<void> => {
  while (await inTransaction(database.sql, async (sql) => countDays(sql, shop.siteId)));
};

/** Counts the days from that moment on, as if they had just ended. */
async function countFrom(at: number): Promise<void> {
  await database.sql`update notification_count set counted_to = ${new Date(at).toISOString().slice(0, 10)}::date where site_id = ${shop.siteId}`;
  await countAll();
}

const readAll = async (timezone = "UTC", isExact = false) =>
  countNotifications(database.sql, {
    accountId: shop.accountId,
    siteId: null,
    from: new Date(ago(60 * day)),
    // A message of this millisecond is counted too.
    to: new Date(Date.now() + 1),
    timezone,
    exact: isExact,
  });
const overview = async (timezone = "UTC", isExact = false) => (await readAll(timezone, isExact)).filter(({ by }) => by !== "counted");

/** The numbers of the log itself, without any counts. */
async function exact(timezone = "UTC"): Promise<unknown> {
  const { sql } = database;
  const kept = await sql`select counted_to::text from notification_count where site_id = ${shop.siteId}`;
  await sql`update notification_count set counted_to = '-infinity' where site_id = ${shop.siteId}`;
  const rows = await overview(timezone, true);
  if (kept[0])
    await sql`update notification_count set counted_to = ${kept[0]["counted_to"] as string}::date where site_id = ${shop.siteId}`;
  return rows;
}

const delivered = (id: string): StatusChange => ({
  site_id: shop.siteId,
  id,
  wa_message_id: null,
  reached: "delivered",
  failed_attempt: null,
  sent_at: null,
  delivered_at: new Date().toISOString(),
  read_at: null,
  failed_at: null,
  error_code: null,
  error_reason: null,
  error_detail: null,
});

const countedRows = async (): Promise<number> => (await database.sql`select from notification_day where site_id = ${shop.siteId}`).length;

describe("counted days", () => {
  test("follow a status that comes late, also those whose hours are counted before they are over", async () => {
    const id = await add(ago(10 * day));
    const ids = await Promise.all(Array.from({ length: 150 }, (_, i) => add(ago(i * 20 * 60_000), { template: `t${i % 2}` })));
    await countAll();
    expect(await overview()).toEqual(await exact());
    const late = [id, ids[78] ?? ""].map(delivered);
    expect(await applyStatuses(database.sql, { id: shop.accountId, has_webhooks: false }, late)).toMatchObject({ changed: 2 });
    expect(await overview()).not.toEqual(await exact());
    expect(await findSitesToCount(database.sql, 1000)).toContain(shop.siteId);
    await countAll();
    const before = await overview();
    expect(before).toEqual(await exact());
    expect(await database.sql`select from notification_late where site_id = ${shop.siteId}`).toEqual([]);
    while (await countRecent(database.sql, shop.siteId));
    await database.sql`delete from notification where site_id = ${shop.siteId}`;
    expect(await overview()).toEqual(before);
  });

  test("tell the larger part of a day without its other hours, unless a late status is to be counted", async () => {
    const { sql } = database;
    const midnight = Math.floor(ago(10 * day) / day) * day;
    const ids = await Promise.all([-30, 1, 5, 22].map((at) => add(midnight + at * hour, { template: `t${at}` })));
    await countAll();
    // It shows where the number comes from.
    await sql`update notification_day set count = 3 where site_id = ${shop.siteId} and template = 't5'`;
    const between = async (first: number, end: number) => {
      const [from, to] = [first, end].map((at) => new Date(midnight + at * hour)) as [Date, Date];
      const rows = await countNotifications(sql, { accountId: shop.accountId, siteId: null, from, to, timezone: "UTC" });
      return rows.flatMap(({ by, template, count }) => (by === "template" ? [[template, count]] : []));
    };
    expect([await between(2, 22), await between(2, 13)]).toEqual([[["t5", 3]], [["t5", 1]]]);
    await applyStatuses(sql, { id: shop.accountId, has_webhooks: false }, [delivered(ids[1] ?? "")]);
    expect(await between(2, 22)).toEqual([["t5", 1]]);
  });

  test("are not concerned by statuses that come in time, and these leave no note", async () => {
    const { sql } = database;
    const id = await add(ago(1.5 * hour));
    await countAll();
    while (await countRecent(sql, shop.siteId));
    const before = await overview();
    await applyStatuses(sql, { id: shop.accountId, has_webhooks: false }, [delivered(id)]);
    expect(await sql`select from notification_late where site_id = ${shop.siteId}`).toEqual([]);
    // Hours that are counted again and again tell what was when they were counted, and behind them is the log.
    expect(await overview()).toEqual(before);
    await add(Date.now());
    expect(await overview()).not.toEqual(before);
    const [row] = await sql<[{ at: Date }]>`select min(counted_at) as at from notification_recent where site_id = ${shop.siteId}`;
    expect((await readAll()).filter(({ by }) => by === "counted")).toMatchObject([{ date: row.at.toISOString() }]);
    // What nobody counts any more is not read.
    await sql`update notification_recent set counted_at = counted_at - interval '2 hours' where site_id = ${shop.siteId}`;
    expect(await readAll()).toEqual(await exact());
    while (await countRecent(sql, shop.siteId));
    expect(await overview()).toEqual(await exact());
    expect(await findBusySites(sql, true)).not.toContain(shop.siteId);
  });

  test("miss no change that is written while they are counted", async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, i) => add(ago(10 * day + i * hour))));
    await countAll();
    await Promise.all([
      ...ids.map((id) => applyStatuses(database.sql, { id: shop.accountId, has_webhooks: false }, [delivered(id)])),
      ...Array.from({ length: 5 }, () => countAll()),
    ]);
    await countAll();
    expect(await overview()).toEqual(await exact());
  });

  // The oldest message is of another day in the other zone, or of the same.
  test.each(data<[string, number][]>("db-notification-statistics", "are counted anew when the account's time zone changes to s,"))(
    "are counted anew when the account's time zone changes to %s, the log beginning at %i h, and are not read in another",
    async (zone, h) => {
      const oldest = new Date(ago(25 * day)).setUTCHours(h, 0, 0, 0);
      for (let i = 0; i < 40; i += 1) await add(oldest + i * 3.3 * hour, { template: `t${i % 2}` });
      await countAll();
      expect(await overview(zone)).toEqual(await exact(zone));
      await database.sql`update account set timezone = ${zone} where id = ${shop.accountId}`;
      expect(await findSitesToCount(database.sql, 1000)).toContain(shop.siteId);
      await countAll();
      expect(await overview(zone)).toEqual(await exact(zone));
      const [row] = await database.sql`select timezone from notification_count where site_id = ${shop.siteId}`;
      expect(row?.["timezone"]).toBe(zone);
    },
  );

  test("of a message that was sent again long after count it no more, also where another version sent it again and counted", async () => {
    const first = await add(ago(30 * day), { status: "failed" });
    await add(ago(30 * day), { status: "failed" });
    await add(ago(29 * day));
    await countAll();
    const before = await overview();
    // As versions do that count each attempt.
    const second = await add(ago(5 * day), { resend_of: first, status: "delivered" });
    await database.sql`update notification set resent_as = ${second} where id = ${first}`;
    expect(await overview()).toEqual(before);
    await countFrom(ago(6 * day));
    expect(await overview()).toEqual(await exact());
    await database.sql`
      update notification_day set once = false, count = count + 1 where site_id = ${shop.siteId} and day = ${new Date(ago(30 * day)).toISOString().slice(0, 10)}::date`;
    expect(await overview()).not.toEqual(await exact());
    expect(await findSitesToCount(database.sql, 1000)).toContain(shop.siteId);
    await countAll();
    expect(await findSitesToCount(database.sql, 1000)).not.toContain(shop.siteId);
    expect(await overview()).toEqual(await exact());
  });

  test("whose messages are no longer kept stay as they were counted", async () => {
    for (let i = 0; i < 20; i += 1) await add(ago((40 - i) * day), { status: "failed" });
    await countAll();
    const before = await overview();
    await database.sql`delete from notification where site_id = ${shop.siteId} and id < uuid_at(now() - interval '30 days')`;
    await database.sql`update notification_day set once = false where site_id = ${shop.siteId}`;
    await database.sql`insert into notification_late (site_id, at) values (${shop.siteId}, now() - interval '35 days')`;
    await countAll();
    expect(await findSitesToCount(database.sql, 1000)).not.toContain(shop.siteId);
    expect(await overview()).toEqual(before);
  });

  test("wait for messages that are still to be sent", async () => {
    const eventId = await insertEvent(database.sql, shop.siteId, { id: idAt(ago(10 * day)), chat: null });
    await database.sql`insert into event_due values (${shop.siteId}, ${eventId}, now())`;
    const id = idAt(ago(10 * day));
    await insertNotification(database.sql, { ...shop, eventId }, { id, status: "sending" });
    await add(ago(5 * day));
    await add(ago(15 * day));
    await countAll();
    expect(await countedRows()).toBe(1);
    await database.sql`update notification set status = 'sent' where id = ${id}`;
    await database.sql`delete from event_due where id = ${eventId}`;
    await database.sql`update event set chat = 'sent' where id = ${eventId}`;
    await countAll();
    expect(await countedRows()).toBe(3);
    expect(await overview()).toEqual(await exact());
  });

  test("are one server's work at a time", async () => {
    for (let i = 0; i < 50; i += 1) await add(ago(55 * day - i * day));
    const before = await exact();
    await Promise.all(Array.from({ length: 6 }, () => countAll()));
    await countAll();
    expect(await overview()).toEqual(before);
  });

  test("leave the ends of a span that begins or ends within a day to the log", async () => {
    const noon = new Date(ago(10 * day)).setUTCHours(12, 0, 0, 0);
    for (const at of [noon - hour, noon + hour, noon + day - hour, noon + day + hour]) await add(at);
    await countAll();
    const leastFrom = async (from: number) =>
      countAtLeast(database.sql, shop.accountId, { status: "sent", siteId: shop.siteId }, { from: uuidFloor(from), before: null });
    expect([await leastFrom(0), await leastFrom(noon)]).toEqual([4, 2]);
    const filter = { accountId: shop.accountId, siteId: shop.siteId, timezone: "UTC" };
    const rows = await countNotifications(database.sql, { ...filter, from: new Date(noon), to: new Date(noon + day) });
    expect(rows.filter(({ by }) => by === "site")).toMatchObject([{ site_id: shop.siteId, status: "sent", count: 2 }]);
  });
});
