import { hash } from "node:crypto";
import { signBody } from "shared/secrets/signature";
import { secretPlace } from "shared/secrets/vault";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openGateway, vault } from "../../../test/support/gateway.ts";
import { postEvent, type Posted } from "../../../test/support/requests.ts";
import { openPostingShop, type PostingShop, postShop, shopHeaders } from "../../../test/support/shop-requests.ts";
import { shopBody } from "../../../test/support/shops/bodies.ts";
import type { Gateway } from "../start.ts";

const world = gatewayWorld({ dueMs: 20 });
let other: Gateway;
beforeAll(async () => void (other = await openGateway(world.databaseUrl, world.platform.url)));
afterAll(async () => other?.[Symbol.asyncDispose]());

const answer = ({ status, json }: Posted) => [status, json["error"] ?? json["chat"]];
const stored = async ({ siteId }: PostingShop): Promise<number> => (await world.sql`select from event where site_id = ${siteId}`).length;
const sentBy = ({ siteId }: PostingShop) => world.platform.sends.filter(({ body }) => body.template.name.endsWith(siteId.slice(-6)));
const refused = [401, "Invalid signature"];
const plain = { "X-Service-Timestamp": null, "X-Service-Idempotency-Key": null };
/** Posts to the path of events with the signature of the body alone. */
const ingest = (shop: PostingShop, body: string, gateway: Gateway = world.gateway, secret = shop.secret): Promise<Posted> =>
  postEvent(gateway, shop, body, { headers: { ...plain, "X-Service-Signature": signBody(secret, Buffer.from(body)) } });

describe("a signature of the body alone opens one door of the site", () => {
  const order = shopBody("woocommerce-order-created");

  it("what the shop posted is not taken at the path of events, at any gateway, and the shop's own repeat still is", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    const first = await postShop(world.gateway, shop, order);
    expect(answer(first)).toEqual([200, "accepted"]);
    expect([answer(await ingest(shop, order)), answer(await ingest(shop, order, other))]).toEqual([refused, refused]);
    expect((await postShop(other, shop, order)).body).toBe(first.body);
    expect(await stored(shop)).toBe(1);
    expect(answer(await ingest(shop, `${order} `))).toEqual([200, "skipped_no_phone"]);
  });

  it.each([
    ["a topic that means nothing", "product.updated", JSON.stringify({ customer: { phone_e164: "+15551230001" } })],
    ["a repeat of a status", "order.updated", order.replace('"processing"', '"pending"')],
  ])("so is what meant no event: %s", async (_, topic, body) => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    await postShop(world.gateway, shop, body, { topic });
    const before = await stored(shop);
    expect(answer(await ingest(shop, body))).toEqual(refused);
    expect(await stored(shop)).toBe(before);
  });

  it("what the backend posted is not taken at the shop's address", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    expect((await ingest(shop, order)).status).toBe(200);
    expect((await ingest(shop, order)).status).toBe(200);
    expect(answer(await postShop(other, shop, order))).toEqual(refused);
    expect(answer(await postShop(other, shop, order, { topic: "other.thing" }))).toEqual(refused);
    expect(await stored(shop)).toBe(2);
  });

  it("two gateways at the same moment take it at one door alone", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    for (let n = 0; n < 10; n += 1) {
      const body = JSON.stringify({ ...(JSON.parse(order) as object), id: 900 + n });
      const both = await Promise.all([postShop(world.gateway, shop, body), ingest(shop, body, other)]);
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    }
    expect(await stored(shop)).toBe(10);
  });

  it("counts for two days, also once the site is of another type, and then is forgotten", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    await postShop(world.gateway, shop, order);
    await world.sql`update site set source_type = 'generic' where id = ${shop.siteId}`;
    expect(answer(await ingest(shop, order))).toEqual(refused);
    const [key] = await world.sql<[{ hours: number; key: string }]>`
      select round(extract(epoch from expires_at - now()) / 3600)::integer as hours, key from idempotency
      where site_id = ${shop.siteId} and event = ':mac'`;
    expect(key.hours).toBe(48);
    expect(signBody(shop.secret, Buffer.from(order))).not.toContain(Buffer.from(key.key, "base64url").toString("hex"));
    await world.sql`update idempotency set expires_at = now() where site_id = ${shop.siteId} and event = ':mac'`;
    expect((await ingest(shop, order)).status).toBe(200);
  });

  it.each(["shopify", "generic"] as const)("a %s site's two doors share none, so the path of events notes none", async (type) => {
    const shop = await openPostingShop(world.sql, type);
    const body = type === "shopify" ? shopBody("shopify-orders-create") : '{"type":"order.created"}';
    expect((await postShop(world.gateway, shop, body)).status).toBe(200);
    expect((await ingest(shop, body)).status).toBe(200);
    expect(await world.sql`select from idempotency where site_id = ${shop.siteId} and event = ':mac'`).toHaveLength(0);
  });

  it("Shopify's secret does not open the path of events, not even where it is the site's own", async () => {
    const [shop, same] = await Promise.all([openPostingShop(world.sql, "shopify"), openPostingShop(world.sql, "shopify")]);
    const body = shopBody("shopify-orders-create");
    expect(answer(await ingest(shop, body, world.gateway, shop.signingSecret))).toEqual(refused);
    const [{ id }] = await world.sql<
      [{ id: string }]
    >`select id from site_secret where site_id = ${same.siteId} and kind = 'source_secret'`;
    await world.sql`update site_secret set secret = ${vault.seal(same.secret, secretPlace(same.accountId, id))} where id = ${id}`;
    expect((await postShop(world.gateway, same, body, { secret: same.secret })).status).toBe(200);
    expect(answer(await ingest(same, body))).toEqual(refused);
  });
});

describe("a signed id is one id for both doors", () => {
  const body = (type = "order.created") =>
    JSON.stringify({ type, customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: 7 } });
  /** Posts to the path of events what the sender has signed for the shop's address. */
  const captured = (shop: PostingShop, id: string, { text = body(), event = "order.created", mode = "live" } = {}) =>
    postEvent(world.gateway, shop, text, {
      event,
      headers: { ...plain, "X-Service-Signature": null, "X-Service-Mode": mode, ...shopHeaders(shop, text, { id }) },
    });

  it.each([true, false])("the same request at both makes one event, at the shop's address first: %s", async (shopFirst) => {
    const shop = await openPostingShop(world.sql, "generic");
    const posts = [() => postShop(other, shop, body(), { id: "msg_1" }), () => captured(shop, "msg_1")];
    for (const post of shopFirst ? posts : posts.toReversed()) expect([200, 202]).toContain((await post()).status);
    await vi.waitFor(() => expect(sentBy(shop)).toHaveLength(1));
    expect(await stored(shop)).toBe(1);
  });

  it("at the same moment too", async () => {
    const shop = await openPostingShop(world.sql, "generic");
    const ids = Array.from({ length: 10 }, (_, n) => `msg_${n}`);
    await Promise.all(ids.flatMap((id) => [postShop(other, shop, body(), { id }), captured(shop, id)]));
    expect(await stored(shop)).toBe(10);
  });

  it("becomes no other event, mode or body at the other door", async () => {
    const shop = await openPostingShop(world.sql, "generic");
    await postShop(world.gateway, shop, body(), { id: "msg_1" });
    const used = [409, "Id already used"];
    expect(answer(await captured(shop, "msg_1", { event: "order.paid" }))).toEqual(used);
    expect(answer(await captured(shop, "msg_1", { mode: "test" }))).toEqual(used);
    expect(answer(await captured(shop, "msg_1", { text: body("order.paid"), event: "order.paid" }))).toEqual(used);
    await captured(shop, "msg_2", { event: "order.paid" });
    expect(answer(await postShop(world.gateway, shop, body(), { id: "msg_2" }))).toEqual(used);
    expect(await stored(shop)).toBe(2);
  });

  it("is known to gateways of the version before, which call it otherwise, and what they took is known here", async () => {
    const shop = await openPostingShop(world.sql, "generic");
    const before = (id: string): string => `shop:${hash("sha256", JSON.stringify([id]), "base64url")}`;
    const first = await postShop(world.gateway, shop, body(), { id: "msg_1" });
    const [held] = await world.sql<[{ event_id: string }]>`
      select event_id from idempotency where site_id = ${shop.siteId} and event = '' and key = ${before("msg_1")}`;
    expect(held.event_id).toBe(first.json["event_id"]);
    await world.sql`update idempotency set key = ${before("msg_2")} where site_id = ${shop.siteId} and key = ${before("msg_1")}`;
    expect((await postShop(world.gateway, shop, body(), { id: "msg_2" })).body).toBe(first.body);
    expect(await stored(shop)).toBe(1);
  });
});
