import { newId } from "shared/db/ids";
import { addProvenRequests } from "shared/db/site-proven";
import { expect, it, test, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openShop, type Shop } from "../../../test/support/gateway.ts";
import { anEvent, postEvent, type PostOptions } from "../../../test/support/requests.ts";
import { openPostingShop, type PostingShop, postPing, postShop, type ShopDelivery } from "../../../test/support/shop-requests.ts";

const world = gatewayWorld({ provenMs: 20 });
const soon = { timeout: 20_000, interval: 50 };

const connectedAt = async ({ siteId }: Shop): Promise<Date | null> => {
  const [row] = await world.sql<[{ connected_at: Date | null }]>`select connected_at from site where id = ${siteId}`;
  return row.connected_at;
};
const proven = async ({ siteId }: Shop): Promise<number> => {
  const [row] = await world.sql<[{ count: number }]>`
    select coalesce(sum(requests), 0)::integer as count from site_proven where site_id = ${siteId}`;
  return row.count;
};
const order = '{"id":1,"total_price":"1.00"}';
const wrong = { headers: { "X-Service-Signature": `sha256=${"0".repeat(64)}` } };

/** A valid event on the site's own path, unless changed. */
const event =
  (options: PostOptions = {}, body: unknown = anEvent) =>
  (shop: Shop) =>
    postEvent(world.gateway, shop, body, options);
/** A valid request to the shop's address, unless changed. */
const delivery =
  (changes: ShopDelivery = {}, body = order, sent = body) =>
  (shop: PostingShop) =>
    postShop(world.gateway, shop, body, { topic: "orders/create", ...changes }, sent);

it.each([
  ["an event", "generic", event(), 200],
  ["an event that is read wrongly", "generic", event({}, "[]"), 400],
  ["an event of a shop's own program", "shopify", event(), 200],
  ["a shop's order", "shopify", delivery(), 200],
  ["a topic that means nothing", "shopify", delivery({ topic: "themes/create" }), 200],
  ["a program's event", "generic", delivery({}, '{"type":"order.created"}'), 200],
  ["broken JSON", "shopify", delivery({}, "{"), 400],
] as const)("the first valid signature connects the site: %s", async (_, type, post, status) => {
  const shop = await openPostingShop(world.sql, type);
  expect((await post(shop)).status).toBe(status);
  const first = await connectedAt(shop);
  expect(first).toEqual(expect.any(Date));
  await vi.waitFor(async () => expect(await proven(shop)).toBe(1), soon);
  expect((await post(shop)).status).toBe(status);
  expect(await connectedAt(shop)).toEqual(first);
  await vi.waitFor(async () => expect(await proven(shop)).toBe(2), soon);
});

it.each([
  ["another secret", "shopify", delivery({ secret: "other" })],
  ["no signature", "shopify", delivery({ headers: { "X-Shopify-Hmac-Sha256": null } })],
  ["a stale time", "generic", delivery({ at: new Date(0) }, '{"type":"order.created"}')],
  ["a wrong signature beside the right key", "generic", event(wrong)],
  ["a right signature beside a stale time", "generic", event({ headers: { "X-Service-Timestamp": "1" } })],
] as const)("what is not proven connects nobody: %s", async (_, type, post) => {
  const shop = await openPostingShop(world.sql, type);
  for (let times = 0; times < 3; times += 1) expect((await post(shop)).status).toBe(401);
  expect([await connectedAt(shop), await proven(shop)]).toEqual([null, 0]);
});

it("a site that refuses events is connected by what it refuses, and a ping counts for nothing", async () => {
  const shop = await openPostingShop(world.sql, "woocommerce");
  await postPing(world.gateway, shop);
  expect(await connectedAt(shop)).toBeNull();
  await world.sql`update site set enabled = false where id = ${shop.siteId}`;
  expect((await postShop(world.gateway, shop, order, { topic: "order.created" })).status).toBe(403);
  expect(await connectedAt(shop)).toEqual(expect.any(Date));
  await vi.waitFor(async () => expect(await proven(shop)).toBe(1), soon);
});

test("requests count by the minute, of a site that exists; of earlier minutes the last quarter of an hour stays, and the last in any case", async () => {
  const shop = await openShop(world.sql);
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute, 30));
  const add = (minute: number, requests = 1) =>
    addProvenRequests(world.sql, [
      { site_id: shop.siteId, requests, last_at: at(minute) },
      { site_id: newId(), requests, last_at: at(minute) },
    ]);
  const minutes = async () =>
    (
      await world.sql<{ minute: Date; requests: number; last_at: Date }[]>`
        select minute, requests, last_at from site_proven where site_id = ${shop.siteId} order by minute`
    ).map((row) => [row.minute.getUTCMinutes(), row.requests, row.last_at.getUTCSeconds()]);
  await add(0);
  await Promise.all(Array.from({ length: 5 }, () => add(0, 2)));
  await add(10);
  expect(await minutes()).toEqual([
    [0, 11, 30],
    [10, 1, 30],
  ]);
  await add(20);
  expect((await minutes()).map(([minute]) => minute)).toEqual([10, 20]);
  await add(59);
  expect(await minutes()).toEqual([[59, 1, 30]]);
});
