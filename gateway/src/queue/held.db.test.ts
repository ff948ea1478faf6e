import { pino } from "pino";
import { renewGatewayLease } from "shared/db/event/lease";
import { newId } from "shared/db/ids";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { type GatewayContext, systemClock } from "../context.ts";
import type { Gateway } from "../start.ts";
import { createHeldMessages } from "./held.ts";

let database: TestDatabase;
let platform: ScriptedPlatform;
let gateway: Gateway;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  gateway = await openGateway(database.url, platform.url, {}, { dueMs: 20 });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const soon = { timeout: 20_000, interval: 10 };
const preferAsync = { headers: { Prefer: "respond-async" } };
const waitingOf = async ({ siteId }: Shop) => [...(await database.sql`select owner, again from waiting_message where site_id = ${siteId}`)];
const statusesOf = async ({ siteId }: Shop) =>
  (await database.sql`select status from notification where site_id = ${siteId} order by id`).map(({ status }) => status as string);

it("what a lost statement has taken is handed back by its gateway", async () => {
  const shop = await openShop(database.sql);
  const silent = pino({ level: "silent" });
  const context = { sql: database.sql, clock: systemClock, config: { timeLimits: { statementMs: 200 } }, log: silent, instanceId: newId() };
  const held = createHeldMessages(context as unknown as GatewayContext);
  await renewGatewayLease(database.sql, { id: context.instanceId, seconds: 60, since: newId() });
  await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  await postEvent(gateway, shop, anEvent, preferAsync);
  await database.sql`update recipient_turn set owner = ${context.instanceId} where account_id = ${shop.accountId}`;
  await database.sql`update waiting_message set owner = ${context.instanceId} where site_id = ${shop.siteId}`;
  await database.sql`update notification set status = 'sending' where site_id = ${shop.siteId}`;
  await held.handBackLost();
  expect(await waitingOf(shop)).toMatchObject([{ owner: context.instanceId }]);
  await database.sql.begin(async (transaction) => {
    await transaction`lock table recipient_turn`;
    await expect(held.take(shop.siteId, 1)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });
  await vi.waitFor(async () => {
    await held.handBackLost();
    expect(await waitingOf(shop)).toMatchObject([{ owner: null, again: false }]);
  }, soon);
  await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
  await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
});

it("a message that the platform reports at the moment of the take is not sent", async () => {
  const shop = await openShop(database.sql);
  await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  await postEvent(gateway, shop, anEvent, preferAsync);
  let taken: Promise<unknown> = Promise.resolve();
  await database.sql.begin(async (callback) => {
    await callback`update notification set status = 'delivered' where site_id = ${shop.siteId}`;
    await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    taken = vi.waitFor(async () => expect(await waitingOf(shop)).toEqual([]), soon);
    await vi.waitUntil(async () => (await database.sql`select from pg_locks where not granted`).length > 0, soon);
  });
  await taken;
  expect(platform.sends).toHaveLength(1);
  expect(await statusesOf(shop)).toEqual(["delivered"]);
});

it("a site with many messages keeps neither another site nor another account waiting", async () => {
  const crowded = await openShop(database.sql, { messagesPerSecond: 40 });
  const sibling = await openShop(database.sql, { accountId: crowded.accountId });
  const other = await openShop(database.sql);
  await database.sql`update platform_account set phone_number_id = account_id::text`;
  const sites = [crowded, sibling, other].map(({ siteId }) => siteId);
  await database.sql`update site set hold_messages = true where id = any(${sites}::uuid[])`;
  const order = (n: number) => ({ customer: { phone_e164: `+1555${1_000_000 + n}` }, order: { id: `${n}` } });
  for (let n = 0; n < 120; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => postEvent(gateway, crowded, order(n + i), preferAsync)));
  }
  for (const [i, shop] of [sibling, other].entries()) await postEvent(gateway, shop, order(900 + i), preferAsync);
  platform.sends.splice(0);
  await database.sql`update site set hold_messages = false where id = any(${sites}::uuid[])`;
  await vi.waitUntil(
    async () => (await database.sql`select from waiting_message where site_id = any(${sites}::uuid[])`).length === 0,
    soon,
  );
  const phones = platform.sends.map(({ body }) => body.to);
  expect(phones).toHaveLength(122);
  // Of one account, waves of twenty take turns.
  expect(phones.indexOf("+15551000900")).toBeLessThan(45);
  expect(phones.indexOf("+15551000901")).toBeLessThan(45);
});
