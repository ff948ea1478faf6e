import type { Gateway } from "gateway/start";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openGateway } from "../support/gateway.ts";
import { newMessageId, startScriptedPlatform } from "../support/platform.ts";
import { shared } from "../support/shared.ts";
import { openPostingShop, type PostingShop, postShop, type ShopDelivery } from "../support/shop-requests.ts";
import { shopBody } from "../support/shops/bodies.ts";
import { gate } from "../support/wait-for.ts";

describe("what shops post, over several gateways", () => {
  const soon = { timeout: 25_000, interval: 50 };

  const database = shared(testDatabase);
  const platform = shared(startScriptedPlatform);
  const open = () => openGateway(database.url, platform.url, {}, { dueMs: 100 });
  const gateways = [shared(open), shared(open)];
  beforeEach(() => {
    platform.sends.splice(0);
    platform.script(() => newMessageId());
  });

  const gatewayAt = (n: number): Gateway => gateways[n % gateways.length] as Gateway;
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
    const { opened, open } = gate();
    platform.script(async () => opened.then(newMessageId));
    expect((await postShop(gatewayAt(0), shop, shopBody("shopify-orders-create"))).json).toMatchObject({ chat: "accepted" });
    open();
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent", "sent"]), soon);
  });
});
