import { once } from "node:events";
import type { TimeLimits } from "gateway/time-limits";
import { beforeEach, expect, it } from "vitest";
import { data } from "../support/data.ts";
import { startCuttableProxy, testDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { newMessageId, startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { openPostingShop, postShop } from "../support/shop-requests.ts";
import { shopBody } from "../support/shops/bodies.ts";

const timeLimits: Partial<TimeLimits> = data("test-e2e-database-slow", "timeLimits");
const keyed = { headers: { "X-Service-Idempotency-Key": "slow" } };

const database = shared(testDatabase);
const platform = shared(startScriptedPlatform);
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(database.sql);
  platform.sends.splice(0);
  platform.script(() => newMessageId());
});

/** While `during` runs, every statement that needs the table hangs. */
async function whileLocked<T>(table: string, during: () => Promise<T>): Promise<T> {
  const gate = new EventTarget();
  const locked = once(gate, "locked");
  const opened = once(gate, "open");
  const holder = database.sql.begin(async (sql) => {
    await sql`lock table ${sql(table)} in access exclusive mode`;
    gate.dispatchEvent(new Event("locked"));
    await opened;
  });
  await locked;
  try {
    return await during();
  } finally {
    gate.dispatchEvent(new Event("open"));
    await holder;
  }
}

const away = { status: 503, json: { error: "Database unavailable" } };

it("is not waited for when a site has to be looked up", async () => {
  await using gateway = await openGateway(database.url, platform.url, {}, timeLimits);
  expect(await whileLocked("site", () => postEvent(gateway, shop))).toMatchObject(away);
  expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
});

it("is not waited for when a site's limit has to be asked for", async () => {
  await database.sql`update site set rate_limit_per_second = 100 where id = ${shop.siteId}`;
  await using gateway = await openGateway(database.url, platform.url, {}, timeLimits);
  expect((await postEvent(gateway, shop)).status).toBe(200);
  expect(await whileLocked("site_rate", () => postEvent(gateway, shop))).toMatchObject(away);
});

it("costs nobody an event when it restarts, whatever had to be asked before", async () => {
  const known = await openPostingShop(database.sql, "shopify");
  await using proxy = await startCuttableProxy(database.url);
  await using gateway = await openGateway(proxy.url, platform.url);
  const order = () => postShop(gateway, known, shopBody("shopify-orders-create"));
  expect((await order()).status).toBe(200);
  proxy.cut();
  const posted = [postEvent(gateway, shop), order(), order()];
  await expect.poll(proxy.refused, { timeout: 8_000 }).toBeGreaterThan(20);
  proxy.mend();
  expect((await Promise.all(posted)).map(({ status }) => status)).toEqual([200, 200, 200]);
  await expect.poll(() => platform.sends).toHaveLength(4);
});

it("stores nothing that nobody waits for any more, and sends it when the client comes back", async () => {
  await using gateway = await openGateway(database.url, platform.url, {}, timeLimits);
  expect((await postEvent(gateway, shop)).status).toBe(200);
  platform.sends.splice(0);
  const posted = await whileLocked("event_payload", () =>
    Promise.all(Array.from({ length: 5 }, (_, i) => postEvent(gateway, shop, { ...anEvent, nth: i }, i === 0 ? keyed : {}))),
  );
  for (const one of posted) expect(one).toMatchObject(away);
  await expect.poll(async () => (await postEvent(gateway, shop, anEvent, keyed)).json["chat"]).toBe("sent");
  expect(platform.sends).toHaveLength(1);
  expect(await database.sql`select count(*)::integer as n from event where site_id = ${shop.siteId}`).toEqual([{ n: 2 }]);
});

it("does not leave messages hanging when it cannot be asked for a stopped account's probe", async () => {
  await database.sql`
    update platform_account set stopped_code = '190', stopped_reason = 'Expired', stopped_at = now(), probe_after = now()
    where account_id = ${shop.accountId}`;
  await using gateway = await openGateway(database.url, platform.url, {}, { ...timeLimits, answerMs: 5000 });
  // The limits are short: a machine with much other work may take more than one try.
  await expect.poll(async () => (await postEvent(gateway, shop, anEvent, { event: "order.other" })).json["chat"]).toBe("no_bindings");
  expect(await whileLocked("platform_account", () => postEvent(gateway, shop))).toMatchObject({ status: 200, json: { chat: "failed" } });
  expect(await database.sql`select error_code from notification where site_id = ${shop.siteId}`).toMatchObject([
    { error_code: "account_stopped" },
  ]);
  expect(platform.sends).toEqual([]);
});
