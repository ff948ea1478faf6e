import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { type GatewayProcess, spawnGateway } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { postStatus } from "../support/requests.ts";
import { openPostingShop, type PostingShop, postShop, type ShopDelivery } from "../support/shop-requests.ts";
import { shopBody } from "../support/shops/bodies.ts";

describe("what shops post, over several gateways", () => {
  const timeLimits = { leaseMs: 4000, sweepMs: 250, handOverMs: 3000, answerMs: 3800, dueMs: 100 };
  const soon = { timeout: 25_000, interval: 50 };

  let database: TestDatabase;
  let platform: ScriptedPlatform;
  let gateways: GatewayProcess[];

  const spawn = ({ url } = database, crash?: { step: "dispatch"; nth: number }) =>
    spawnGateway({ databaseUrl: url, platformApiUrl: platform.url, inDoubtSeconds: 1, timeLimits, crash });

  beforeAll(async () => {
    database = await testDatabase();
    platform = await startScriptedPlatform();
    gateways = await Promise.all([spawn(), spawn()]);
  });
  afterAll(async () => {
    for (const gateway of gateways ?? []) await gateway[Symbol.asyncDispose]();
    await platform?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    platform.sends.splice(0);
    platform.script(() => newMessageId());
  });

  const gatewayAt = (n: number): GatewayProcess => gateways[n % gateways.length] as GatewayProcess;
  const statusesOf = async ({ siteId }: PostingShop): Promise<string[]> =>
    (await database.sql<{ status: string }[]>`select status from notification where site_id = ${siteId}`).map(({ status }) => status);

  it.each([
    ["shopify", shopBody("shopify-orders-create"), { id: "one" }],
    ["woocommerce", shopBody("woocommerce-order-created"), {}],
    ["woocommerce", shopBody("woocommerce-order-updated-completed"), { topic: "order.updated" }],
    ["generic", '{"type":"order.created","customer":{"phone_e164":"+15551230001"}}', { id: "one" }],
  ] satisfies ["shopify" | "woocommerce" | "generic", string, ShopDelivery][])(
    "repeats at one moment of %s are one message, and all get the same answer",
    async (sourceType, body, delivery) => {
      const shop = await openPostingShop(database.sql, sourceType, { moreEvents: ["order.shipped"] });
      const posted = await Promise.all(Array.from({ length: 24 }, (_, n) => postShop(gatewayAt(n), shop, body, delivery)));
      expect(new Set(posted.map(({ status, body: text }) => `${status} ${text}`)).size).toBe(1);
      expect(posted[0]?.json).toMatchObject({ ok: true, chat: "accepted" });
      await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
      expect(platform.sends).toHaveLength(1);
    },
  );

  it("is answered while the platform hangs", async () => {
    const shop = await openPostingShop(database.sql, "shopify");
    await postShop(gatewayAt(0), shop, shopBody("shopify-orders-create"));
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    platform.script(async () => held.then(newMessageId));
    expect((await postShop(gatewayAt(0), shop, shopBody("shopify-orders-create"))).json).toMatchObject({ chat: "accepted" });
    letGo();
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent", "sent"]), soon);
  });

  it("and was answered is sent, though the gateway is killed before", async () => {
    const shop = await openPostingShop(database.sql, "shopify", { schedule: { delaySeconds: 2 } });
    const doomed = await spawn();
    const posted = await postShop(doomed, shop, shopBody("shopify-orders-create"));
    doomed.kill("SIGKILL");
    await doomed.ended;
    expect(posted.json).toMatchObject({ chat: "accepted" });
    expect(await statusesOf(shop)).toEqual(["scheduled"]);
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
    expect(platform.sends).toHaveLength(1);
  });

  it("is sent once where the gateway is killed as it is about to send, and the shop posts again", async () => {
    // The database is the test's own, so that no other gateway sends the messages before.
    await using own = await testDatabase();
    const shop = await openPostingShop(own.sql, "shopify");
    await own.sql`insert into platform_callback values (${shop.accountId}, now())`;
    const post = (gateway: GatewayProcess) => postShop(gateway, shop, shopBody("shopify-orders-create"), { id: "once" });
    const doomed = await spawn(own, { step: "dispatch", nth: 1 });
    const first = await post(doomed).catch(() => null);
    await doomed.ended;
    expect(platform.sends).toHaveLength(0);
    await using survivor = await spawn(own);
    platform.script(async ({ body }) => {
      const id = newMessageId();
      await postStatus(survivor, shop, body, "sent", id);
      return id;
    });
    const again = await post(survivor);
    expect([again.status, again.headers.get("x-service-idempotent-replay")]).toEqual([200, "true"]);
    expect(first?.body ?? again.body).toBe(again.body);
    await vi.waitFor(async () => expect(await own.sql`select status from notification`).toEqual([{ status: "sent" }]), soon);
    expect(platform.sends).toHaveLength(1);
  });
});
