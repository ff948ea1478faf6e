import type { GatewayContext } from "gateway/context";
import type { TimeLimits } from "gateway/time-limits";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type CuttableProxy, startCuttableProxy, testDatabase, type TestDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";

/** A lease longer than any test: an event that is finished was not finished by a take-over. */
const longLease = 600_000;
const forty = Array.from({ length: 40 }, (_, i) => `+1555400${String(i).padStart(4, "0")}`);
const keyed = { headers: { "X-Service-Idempotency-Key": "lost" } };

let database: TestDatabase;
let platform: ScriptedPlatform;
let proxy: CuttableProxy;
let shop: Shop;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  proxy = await startCuttableProxy(database.url);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  proxy.mend();
  shop = await openShop(database.sql);
  platform.sends.splice(0);
  platform.script(() => newMessageId());
});

type Step = Parameters<NonNullable<GatewayContext["onStep"]>>[0];

/** A gateway behind the proxy that knows the shop already; `act` comes before the step, once. */
async function openBehindProxy(step: Step, act: () => void, timeLimits: Partial<TimeLimits>) {
  let armed = false;
  const onStep = (at: Step): void => {
    if (!armed || at !== step) return;
    armed = false;
    act();
  };
  const gateway = await openGateway(proxy.url, platform.url, { inDoubtSeconds: 1 }, { sweepMs: 50, ...timeLimits }, onStep);
  await postEvent(gateway, shop);
  platform.sends.splice(0);
  armed = true;
  return gateway;
}

const chatOf = async (key: string): Promise<unknown> => {
  const rows = await database.sql`select chat from event where site_id = ${shop.siteId} and idempotency_key = ${key}`;
  return rows[0] ? (rows[0]["chat"] as unknown) : "absent";
};

it("goes on with an event whose claim was answered into the void", async () => {
  await using gateway = await openBehindProxy("claim", proxy.mute, { leaseMs: longLease });
  const posted = postEvent(gateway, shop, anEvent, keyed);
  await expect.poll(() => chatOf("lost")).toBeNull();
  proxy.cut();
  proxy.mend();
  expect(await posted).toMatchObject({ status: 200, json: { chat: "sent" } });
  expect(platform.sends).toHaveLength(1);
});

it("sends the retry of an event whose claim was given up although it is stored", async () => {
  await using gateway = await openBehindProxy("claim", proxy.mute, { leaseMs: longLease, claimMs: 1000 });
  const posted = postEvent(gateway, shop, anEvent, keyed);
  await expect.poll(() => chatOf("lost")).toBeNull();
  proxy.cut();
  expect(await posted).toMatchObject({ status: 503, json: { error: "Database unavailable" } });
  expect(platform.sends).toEqual([]);
  proxy.mend();
  await expect.poll(async () => (await postEvent(gateway, shop, anEvent, keyed)).json["chat"]).toBe("sent");
  expect(platform.sends).toHaveLength(1);
});

it("answers as it did when the settling was answered into the void", async () => {
  await using gateway = await openBehindProxy("settle", proxy.mute, { leaseMs: longLease });
  const posted = postEvent(gateway, shop, anEvent, keyed);
  await expect.poll(() => chatOf("lost")).toBe("sent");
  proxy.cut();
  proxy.mend();
  const original = await posted;
  expect(original).toMatchObject({ status: 200, json: { chat: "sent", recipients_sent: 1 } });
  expect((await postEvent(gateway, shop, anEvent, keyed)).body).toBe(original.body);
  expect(platform.sends).toHaveLength(1);
});

it("records what was sent after the client had to be told to come back, and leaves the rest to be sent", async () => {
  shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones: forty });
  await using gateway = await openBehindProxy("settle", proxy.cut, { leaseMs: 4000, handOverMs: 1200, answerMs: 1500, claimMs: 1000 });
  expect(await postEvent(gateway, shop, anEvent, keyed)).toMatchObject({ status: 503 });
  expect(platform.sends).toHaveLength(20);
  proxy.mend();
  await expect.poll(async () => (await postEvent(gateway, shop, anEvent, keyed)).json["recipients_sent"]).toBe(40);
  expect(platform.sends.map(({ body }) => body.to).toSorted()).toEqual(forty);
});
