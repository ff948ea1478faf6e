import { describe, expect, it, vi } from "vitest";
import { breakStatements, ownedRows } from "../../../test/support/broken-statements.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";

/* One row alone that the database refuses; what becomes of the rows beside it. Whole statements that fail are `test/faults/statements.test.ts`. */

const limits = { dueMs: 20, firstRetryMs: 2, sweepMs: 50, statementMs: 1_000, ownedMs: 100, refusedMs: 1_000 };
/** Nothing is owned ten seconds after a fault that nobody works on. */
const soon = { timeout: 10_000, interval: 50 };
const preferAsync = { headers: { Prefer: "respond-async" } };

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
const gateway = shared(async () => openGateway(database.url, platform.url, { inDoubtSeconds: 1 }, limits));

const toPhone = (n: number) => ({ ...anEvent, customer: { phone_e164: `+1555${2_000_000 + n}` } });
const queue = (shop: Shop, n: number) => postEvent(gateway, shop, toPhone(n), preferAsync);
const outcomes = async ({ siteId }: Shop) => [
  ...(await database.sql`select status::text, coalesce(error_code, '') as code, attempt from notification where site_id = ${siteId} order by id`),
];
const chatOf = async ({ siteId }: Shop) =>
  (await database.sql`select chat from event where site_id = ${siteId}`)[0]?.["chat"] as string | null;
const nothingOwned = () => vi.waitFor(async () => expect(await ownedRows(database.sql)).toEqual({}), soon);

describe("a row that is refused", () => {
  it("of a message: the others of its wave are recorded, and it alone is in doubt", async () => {
    const shop = await openShop(database.sql);
    await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
    for (let n = 10; n < 20; n += 1) await queue(shop, n);
    const [row] = await database.sql`select id from waiting_message where site_id = ${shop.siteId} order by id offset 4 limit 1`;
    const broken = await breakStatements(database.owner, {
      table: "waiting_message",
      on: "delete",
      when: `old.id = '${String(row?.["id"])}'`,
    });
    await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    await vi.waitFor(async () => {
      const statuses = (await outcomes(shop)).map(({ status }) => String(status));
      expect(statuses).toEqual(Array.from({ length: 10 }, (_, n) => (n === 4 ? "sending" : "sent")));
      expect(await database.sql`select owner, doubts from waiting_message where site_id = ${shop.siteId}`).toEqual([
        { owner: null, doubts: 1 },
      ]);
    }, soon);
    await broken.heal();
    await vi.waitFor(async () => expect((await outcomes(shop))[4]).toMatchObject({ status: "failed", code: "interrupted" }), soon);
    expect(platform.sends).toHaveLength(10);
    await nothingOwned();
  });

  it("of a message, for a while: its caller is told that it was sent, and nothing is sent twice", async () => {
    const shop = await openShop(database.sql);
    const before = platform.sends.length;
    const broken = await breakStatements(database.owner, { table: "notification", on: "update", when: `new.site_id = '${shop.siteId}'` });
    const answered = postEvent(gateway, shop);
    await vi.waitUntil(async () => (await broken.hits()) > 0, soon);
    await broken.heal();
    expect(await answered).toMatchObject({ status: 200, json: { chat: "sent" } });
    expect(platform.sends.length - before).toBe(1);
  });

  it("of a site: the events of others go back all the same", async () => {
    const [good, bad] = [await openShop(database.sql), await openShop(database.sql)];
    const settling = await breakStatements(database.owner, {
      table: "event",
      on: "update",
      when: "old.chat is null and new.chat is not null",
    });
    const listing = await breakStatements(database.owner, { table: "event_due", on: "insert", when: `new.site_id = '${bad.siteId}'` });
    await Promise.all([good, bad].map((shop) => postEvent(gateway, shop)));
    await vi.waitUntil(async () => (await listing.hits()) > 1, soon);
    await settling.heal();
    await vi.waitFor(async () => expect(await chatOf(good)).not.toBeNull(), soon);
    expect(await chatOf(bad)).toBeNull();
    await listing.heal();
    await nothingOwned();
  });
});
