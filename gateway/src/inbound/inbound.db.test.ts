import { placeIn } from "shared/secrets/vault";
import { describe, expect, it, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openGateway, vault } from "../../../test/support/gateway.ts";
import {
  openPostingShop,
  type PostingShop,
  postPing,
  postShop,
  sentBy,
  shopAddress,
  shopHeaders,
} from "../../../test/support/shop-requests.ts";
import { shopBody } from "../../../test/support/shops/bodies.ts";

const world = gatewayWorld({ dueMs: 20 });

const soon = { timeout: 10_000, interval: 50 };
const ignored = { ok: true, event: null, chat: "ignored" };
const accepted = (event: string) => ({ ok: true, event_id: expect.any(String) as string, event, chat: "accepted" });
const eventsOf = ({ siteId }: PostingShop) =>
  world.sql<
    { id: string; name: string; source: string; chat: string }[]
  >`select id, name, source, chat from event where site_id = ${siteId} order by id`;
const payloadOf = async (eventId: unknown) => {
  const [row] = await world.sql<[{ payload: string }]>`select payload from event_payload where id = ${String(eventId)}`;
  return JSON.parse(row.payload) as Record<string, unknown>;
};
const siteOf = async ({ siteId }: PostingShop) => {
  const [row] = await world.sql<[{ connected_at: Date | null; pinged_at: Date | null }]>`
    select connected_at, pinged_at from site where id = ${siteId}`;
  return row;
};
const topicsOf = async ({ siteId }: PostingShop) =>
  (await world.sql<{ topic: string }[]>`select topic from site_topic where site_id = ${siteId} order by topic`).map(({ topic }) => topic);
const sent = (shop: PostingShop) => sentBy(world.platform, shop);
const allEvents = data<string[]>("gateway-inbound-inbound", "allEvents");

describe("what Shopify posts", () => {
  it.each(data<[string, string, string, string[]][]>("gateway-inbound-inbound", "of is sent to the"))(
    "%s of %s is sent to the phone as somebody typed it",
    async (topic, fixture, event, message) => {
      const shop = await openPostingShop(world.sql, "shopify", { moreEvents: allEvents });
      const posted = await postShop(world.gateway, shop, shopBody(fixture), { topic });
      expect([posted.status, posted.json]).toEqual([200, accepted(event)]);
      expect(Object.keys(posted.json)).toEqual(["ok", "event_id", "event", "chat"]);
      await vi.waitFor(() => expect(sent(shop)[0]?.slice(0, message.length)).toEqual(message), soon);
      expect(await eventsOf(shop)).toMatchObject([{ name: event, source: "shopify", chat: "accepted" }]);
      const payload = await payloadOf(posted.json["event_id"]);
      const [{ trace } = { trace: null }] = await world.sql<{ trace: string | null }[]>`
      select trace from event_payload where id = ${String(posted.json["event_id"])}`;
      expect(JSON.parse(trace ?? "null")).toEqual({ topic, bindings: [], more: 0 });
      expect(payload).toMatchObject({ site: { url: "https://shop.example" }, data: { raw: expect.any(Object) as object } });
      expect([await topicsOf(shop), (await siteOf(shop)).connected_at]).toEqual([[topic], expect.any(Date)]);
    },
  );

  it("also without `X-` in the headers", async () => {
    const shop = await openPostingShop(world.sql, "shopify");
    const body = shopBody("shopify-orders-create");
    const bare = Object.fromEntries(
      Object.entries(shopHeaders(shop, body)).map(([name, value]) => [name.replace(/^X-Shopify/, "Shopify"), value]),
    );
    const response = await fetch(shopAddress(world.gateway, shop), { method: "POST", headers: bare, body });
    expect([response.status, await response.json()]).toEqual([200, accepted("order.created")]);
  });

  it("keeps the digits of numbers that no JSON number holds", async () => {
    const shop = await openPostingShop(world.sql, "shopify");
    const body = shopBody("shopify-orders-create").replace("{", '{"far_id":1e400,"near":9007199254740993,');
    const { json } = await postShop(world.gateway, shop, body);
    expect(json).toEqual(accepted("order.created"));
    expect(await payloadOf(json["event_id"])).toMatchObject({ data: { raw: { far_id: "1e400", near: "9007199254740993" } } });
  });

  it.each([false, true])("a refund is told to the customer of the stored order (encrypted: %s)", async (encrypted) => {
    const shop = await openPostingShop(world.sql, "shopify", { moreEvents: ["order.refunded"], encrypted });
    const refund = shopBody("shopify-refunds-create");
    const early = await postShop(world.gateway, shop, refund, { topic: "refunds/create" });
    expect(early.json).toMatchObject({ event: "order.refunded", chat: "skipped_no_phone" });
    await postShop(world.gateway, shop, shopBody("shopify-orders-create"));
    const late = await postShop(world.gateway, shop, refund, { topic: "refunds/create" });
    expect(late.json).toEqual(accepted("order.refunded"));
    const message = ["+491712345678", "Jürgen", "9223372036854775101"];
    await vi.waitFor(() => expect(sent(shop)).toEqual([message, message]), soon);
  });

  it.each([
    [90, 48],
    [1, 24],
  ])("a repeat is known for two days, or as long as the log is kept: of %i days, %i hours", async (logDays, hours) => {
    const shop = await openPostingShop(world.sql, "shopify");
    await world.sql`update account set log_days = ${logDays} where id = ${shop.accountId}`;
    const post = () => postShop(world.gateway, shop, shopBody("shopify-orders-create"), { id: "one" });
    const first = await post();
    const [key] = await world.sql<[{ hours: number }]>`
      select round(extract(epoch from expires_at - now()) / 3600)::integer as hours from idempotency where site_id = ${shop.siteId}`;
    expect(key.hours).toBe(hours);
    expect((await post()).body).toBe(first.body);
    await world.sql`update idempotency set expires_at = now() where site_id = ${shop.siteId}`;
    const late = await post();
    expect([late.status, late.body === first.body]).toEqual([200, false]);
  });

  it("without an id there is no repeat", async () => {
    const shop = await openPostingShop(world.sql, "shopify");
    const post = () => postShop(world.gateway, shop, shopBody("shopify-orders-create"), { headers: { "X-Shopify-Webhook-Id": null } });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    expect(await eventsOf(shop)).toHaveLength(2);
  });

  it("a checkout that became an order is no cart any more", async () => {
    const shop = await openPostingShop(world.sql, "shopify", { moreEvents: ["cart.updated"] });
    const body = shopBody("shopify-checkouts-create").replace(/"completed_at": null/, '"completed_at": "2026-03-14T10:15:00Z"');
    const posted = await postShop(world.gateway, shop, body, { topic: "checkouts/update" });
    expect([posted.status, posted.json]).toEqual([200, ignored]);
    expect([await eventsOf(shop), await topicsOf(shop)]).toEqual([[], ["checkouts/update"]]);
  });

  it("an event that two subscriptions post is one, at whichever gateway, and another topic of it is another", async () => {
    await using other = await openGateway(world.databaseUrl, world.platform.url, {}, { dueMs: 20 });
    const shop = await openPostingShop(world.sql, "shopify", { moreEvents: allEvents });
    const headers = { "X-Shopify-Event-Id": "one" };
    const body = shopBody("shopify-orders-create").replace('"financial_status": "pending"', '"financial_status": "paid"');
    const post = (n: number, topic = "orders/create") => postShop(n % 2 === 0 ? world.gateway : other, shop, body, { topic, headers });
    const posted = await Promise.all(Array.from({ length: 6 }, (_, n) => post(n)));
    expect(new Set(posted.map(({ body: answer }) => answer)).size).toBe(1);
    expect((await post(0, "orders/paid")).json["event"]).toBe("payment.received");
    expect(await eventsOf(shop)).toHaveLength(2);
  });

  it("a checkout whose order came is no cart any more; a late order of one that was cancelled is none", async () => {
    const shop = await openPostingShop(world.sql, "shopify", { moreEvents: allEvents });
    const token = { token: "exuw7apwoycchjuwtiqg8nytfhphr62a" };
    const post = async (fixture: string, topic: string, more = {}) =>
      (await postShop(world.gateway, shop, JSON.stringify({ ...(JSON.parse(shopBody(fixture)) as object), ...more }), { topic })).json[
        "event"
      ];
    expect(await post("shopify-checkouts-create", "checkouts/create")).toBe("cart.updated");
    expect(await post("shopify-orders-create-guest", "orders/create", { checkout_token: token.token })).toBe("order.created");
    expect(await post("shopify-checkouts-create", "checkouts/update")).toBeNull();
    expect(await post("shopify-orders-cancelled", "orders/cancelled")).toBe("order.cancelled");
    expect(await post("shopify-orders-cancelled", "orders/create", { cancelled_at: null })).toBeNull();
    expect(await post("shopify-orders-cancelled", "orders/create", { id: 7, test: false, checkout_token: "c" })).toBeNull();
    expect(await post("shopify-checkouts-create", "checkouts/update", { token: "c" })).toBeNull();
    // A checkout that was completed is over too: an older state of it may come later.
    expect(await post("shopify-checkouts-create", "checkouts/update", { token: "d", completed_at: "2026-03-14T10:15:00Z" })).toBeNull();
    expect(await post("shopify-checkouts-create", "checkouts/update", { token: "d" })).toBeNull();
  });

  it.each(data<["shopify" | "woocommerce", string, string, [string, object][]][]>("gateway-inbound-inbound", "is cancelled by"))(
    "%s: what waits until %s has its %s is cancelled by a later state of it: %j",
    async (type, by, event, steps) => {
      const waits = type === "shopify" ? "cart.updated" : "order.created";
      const shop = await openPostingShop(world.sql, type, {
        event: waits,
        moreEvents: allEvents.filter((name) => name !== waits),
        schedule: { delaySeconds: 3600, cancelOn: { events: [event], by } },
      });
      const fixtures = { checkouts: "shopify-checkouts-create", orders: "shopify-orders-cancelled", order: "woocommerce-order-created" };
      for (const [n, [topic, more]] of steps.entries()) {
        const body = JSON.parse(shopBody(fixtures[/^[a-z]+/.exec(topic)?.[0] as keyof typeof fixtures])) as object;
        const same = { token: "c", checkout_token: "c", date_modified_gmt: `2026-03-14T10:00:0${n}` };
        expect((await postShop(world.gateway, shop, JSON.stringify({ ...body, ...same, ...more }), { topic })).status).toBe(200);
      }
      const messages = await world.sql<object[]>`
      select status, error_code, error_reason from notification where site_id = ${shop.siteId} and event = ${waits}`;
      const error_reason = expect.stringMatching(/^[a-z./:]+ arrived, which cancels/) as string;
      expect([...messages]).toEqual([{ status: "cancelled", error_code: "cancelled_by_event", error_reason }]);
      // It looks ahead to nothing: the next one waits.
      expect(await world.sql`select from idempotency where site_id = ${shop.siteId} and event like 'cancel %'`).toHaveLength(0);
    },
  );

  it("an order that is no test goes to its customer", async () => {
    const shop = await openPostingShop(world.sql, "shopify");
    const body = shopBody("shopify-orders-create-guest");
    expect((await postShop(world.gateway, shop, body.replace('"test": true', '"test": false'))).json).toMatchObject({ chat: "accepted" });
    await vi.waitFor(() => expect(sent(shop)).toEqual([["+14155550123", "Sam", "5512345678901"]]), soon);
  });

  it("the operator's map counts from the next request on, also for topics that meant nothing", async () => {
    const shop = await openPostingShop(world.sql, "shopify", { moreEvents: ["order.shipped"] });
    const post = async (topic: string) => (await postShop(world.gateway, shop, shopBody("shopify-orders-create"), { topic })).json["event"];
    expect([await post("orders/fulfilled"), await post("orders/create")]).toEqual([null, "order.created"]);
    const map = { "orders/fulfilled": "order.shipped", "orders/create": null };
    await world.sql`update site set topic_map = ${world.sql.json(map)} where id = ${shop.siteId}`;
    expect([await post("orders/fulfilled"), await post("orders/create")]).toEqual(["order.shipped", null]);
  });
});

describe("requests of data protection law", () => {
  const auditOf = ({ accountId }: PostingShop) =>
    world.sql<
      { action: string; actor: string; subject: string }[]
    >`select action, actor, subject from audit_entry where account_id = ${accountId} order by id`;

  it("stand in the audit, and who is to be forgotten waits for an owner, by the phone as it was typed", async () => {
    const shop = await openPostingShop(world.sql, "shopify", { country: "US" });
    const redact = shopBody("shopify-customers-redact").replace("555-625-1199", "(415) 555-0123");
    for (const [topic, body] of [
      ["customers/redact", redact],
      ["customers/data_request", shopBody("shopify-customers-data-request")],
      ["shop/redact", shopBody("shopify-shop-redact")],
    ] as const) {
      const posted = await postShop(world.gateway, shop, body, { topic });
      expect([posted.status, posted.json]).toEqual([200, ignored]);
    }
    const entry = (topic: string) => ({ action: `shopify.${topic}`, actor: "shopify", subject: shop.siteId });
    expect([...(await auditOf(shop))]).toEqual(["customers/redact", "customers/data_request", "shop/redact"].map(entry));
    const rows = await world.sql<{ id: string; person: string; state: string }[]>`
      select id, person, state from erasure_request where account_id = ${shop.accountId} and site_id = ${shop.siteId}`;
    expect(rows.map(({ state }) => state)).toEqual(["asked"]);
    const [{ id, person } = { id: "", person: "" }] = rows;
    expect(JSON.parse(vault.open(person, placeIn("erasure_request.person", shop.accountId, id)))).toEqual(
      data("gateway-inbound-inbound", "stand in the audit, and who is to be forgotten w"),
    );
    expect(await world.sql`select from erasure where account_id = ${shop.accountId}`).toHaveLength(0);
    expect(await eventsOf(shop)).toEqual([]);
  });

  it("count once, however often one is repeated and whatever its headers say, until two days have passed", async () => {
    const shop = await openPostingShop(world.sql, "shopify", { country: "US" });
    const redact = shopBody("shopify-customers-redact");
    const post = () => postShop(world.gateway, shop, redact, { topic: "customers/redact" });
    const posted = await Promise.all(Array.from({ length: 12 }, post));
    expect(posted.map(({ status, json }) => [status, json])).toEqual(posted.map(() => [200, ignored]));
    await postShop(world.gateway, shop, redact.replace("{", "{ "), { topic: "customers/redact" });
    expect(await auditOf(shop)).toHaveLength(2);
    await world.sql`update idempotency set expires_at = now() where site_id = ${shop.siteId}`;
    await post();
    await post();
    expect(await auditOf(shop)).toHaveLength(3);
  });

  it.each(data<[string, string][]>("gateway-inbound-inbound", "s posted again as s, which is not signed, is refused, erases"))(
    "%s posted again as %s, which is not signed, is refused, erases nobody and tells nobody",
    async (fixture, topic) => {
      const shop = await openPostingShop(world.sql, "shopify", { country: "US", moreEvents: allEvents });
      const posted = await postShop(world.gateway, shop, shopBody(fixture), { topic });
      expect([posted.status, posted.json]).toEqual([400, { error: "Unexpected body" }]);
      expect([await auditOf(shop), await eventsOf(shop)]).toEqual([[], []]);
      expect(await world.sql`select from erasure_request where account_id = ${shop.accountId}`).toHaveLength(0);
    },
  );

  it("without a phone that can be read they stand in the audit alone", async () => {
    const shop = await openPostingShop(world.sql, "shopify");
    for (const phone of ["null", '"call me"', "{}", '"0171"']) {
      const posted = await postShop(world.gateway, shop, `{"customer":{"phone":${phone}}}`, { topic: "customers/redact" });
      expect([posted.status, posted.json]).toEqual([200, ignored]);
    }
    expect(await auditOf(shop)).toHaveLength(4);
    expect(await world.sql`select from erasure_request where account_id = ${shop.accountId}`).toHaveLength(0);
  });
});

describe("what WooCommerce posts", () => {
  const order = (status: string, minute: number, more: object = {}) =>
    JSON.stringify({
      ...(JSON.parse(shopBody("woocommerce-order-created")) as object),
      status,
      date_modified_gmt: `2026-03-14T10:${String(minute).padStart(2, "0")}:00`,
      ...more,
    });

  it.each(data<[string, string, string, string[]][]>("gateway-inbound-inbound", "s of s is the event s, and is sent"))(
    "%s of %s is the event %s, and is sent",
    async (topic, fixture, event, message) => {
      const shop = await openPostingShop(world.sql, "woocommerce", { moreEvents: allEvents });
      const posted = await postShop(world.gateway, shop, shopBody(fixture), { topic });
      expect([posted.status, posted.json]).toEqual([200, accepted(event)]);
      await vi.waitFor(() => expect(sent(shop)).toHaveLength(1), soon);
      expect(sent(shop)).toEqual([message]);
      const later = shopBody(fixture).replace(/"date_modified_gmt": "[^"]*"/, '"date_modified_gmt": "2026-12-31T00:00:00"');
      for (const again of topic.endsWith(".created") ? [later] : [])
        expect((await postShop(world.gateway, shop, again, { topic })).body).toBe(posted.body);
      expect((await payloadOf(posted.json["event_id"]))["site"]).toEqual({ url: "https://shop.example" });
    },
  );

  it.each([false, true])("a status counts once, on-hold included, and an order's refunds each (encrypted: %s)", async (encrypted) => {
    const shop = await openPostingShop(world.sql, "woocommerce", { moreEvents: allEvents, encrypted });
    const update = async (status: string, minute: number, more = {}) =>
      (await postShop(world.gateway, shop, order(status, minute, more), { topic: "order.updated" })).json["event"];
    const refunds = [{ id: 9, reason: "", total: "-1.00" }];
    expect((await postShop(world.gateway, shop, order("pending", 0))).json["event"]).toBe("order.created");
    expect([
      await update("processing", 1),
      await update("processing", 2),
      await update("on-hold", 3),
      await update("processing", 4),
      await update("processing", 4, { refunds }),
      await update("completed", 3),
      await update("completed", 5, { refunds }),
      // What is dated ahead of our clock hides nothing that follows, and what gives nothing back is no refund.
      await update("on-hold", 6, { refunds, date_modified_gmt: "2099-01-01T00:00:00" }),
      await update("completed", 7, { refunds: [{ id: 10, reason: "", total: "-0.00" }, ...refunds] }),
      await update("cancelled", 8, { refunds }),
    ]).toEqual(["payment.received", null, null, null, "order.refunded", null, "order.shipped", null, null, "order.cancelled"]);
    const statuses = ["cancelled", "completed", "on-hold", "processing", "refund"].map((status) => `order.updated:${status}`);
    expect(await topicsOf(shop)).toEqual(["order.created", ...statuses]);
    expect((await eventsOf(shop)).map(({ name }) => name)).toEqual(
      data("gateway-inbound-inbound", "a status counts once, on hold included, and an order's refun"),
    );
  });

  it("an order that was told of before its history was kept is not told of again", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce", { moreEvents: allEvents });
    const refunds = [{ id: 9, reason: "", total: "-1.00" }];
    const update = async (status: string, minute: number, more = {}) =>
      (await postShop(world.gateway, shop, order(status, minute, more), { topic: "order.updated" })).json["event"];
    expect(await update("processing", 1, { refunds })).toBe("order.refunded");
    expect(await update("processing", 2, { refunds })).toBe("payment.received");
    await world.sql`delete from shop_history where site_id = ${shop.siteId}`;
    expect(await update("processing", 3, { refunds })).toBeNull();
    expect(await update("processing", 4, { refunds: [{ id: 10, total: "-2.00" }, ...refunds] })).toBe("order.refunded");
  });

  it("a repeat gets the original's body, though the status is no change any more; later too", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce", { moreEvents: allEvents });
    const post = (status: string, minute: number, more = {}) =>
      postShop(world.gateway, shop, order(status, minute, more), { topic: "order.updated" });
    const first = await post("processing", 1);
    const again = await post("processing", 1, { customer_note: "another delivery" });
    expect([again.status, again.body, again.headers.get("x-service-idempotent-replay")]).toEqual([200, first.body, "true"]);
    await post("completed", 2);
    expect((await post("processing", 1)).body).toBe(first.body);
    await vi.waitFor(() => expect(sent(shop)).toHaveLength(2), soon);
  });

  it("one change of status is told once, however many deliveries of it arrive at one moment at several gateways", async () => {
    await using other = await openGateway(world.databaseUrl, world.platform.url, {}, { dueMs: 20 });
    const shop = await openPostingShop(world.sql, "woocommerce", { moreEvents: allEvents });
    const post = (id: number, minute: number) =>
      postShop(minute % 2 === 0 ? world.gateway : other, shop, order("processing", minute, { id }), { topic: "order.updated" });
    const posted = await Promise.all(Array.from({ length: 40 }, (_, n) => post(1000 + (n % 4), n >> 2)));
    expect(new Set(posted.map(({ status }) => status))).toEqual(new Set([200]));
    expect(posted.filter(({ json }) => json["event"] === "payment.received")).toHaveLength(4);
    expect(await eventsOf(shop)).toHaveLength(4);
  });

  it("the ping is answered without a signature, on a disabled site too, and noted; it connects nobody", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    await world.sql`update site set enabled = false where id = ${shop.siteId}`;
    const posted = await postPing(world.gateway, shop);
    expect([posted.status, posted.body]).toEqual([200, '{"ok":true,"ping":true}']);
    const first = await siteOf(shop);
    expect(first).toEqual({ connected_at: null, pinged_at: expect.any(Date) });
    await postPing(world.gateway, shop);
    expect(await siteOf(shop)).toEqual(first);
    expect([await eventsOf(shop), await topicsOf(shop)]).toEqual([[], []]);
  });

  it.each(["shopify", "generic"] as const)("the same is refused by a site of type %s", async (sourceType) => {
    const shop = await openPostingShop(world.sql, sourceType);
    const posted = await postPing(world.gateway, shop);
    expect([posted.status, posted.json]).toEqual([401, { error: "Invalid signature" }]);
    expect(await siteOf(shop)).toEqual({ connected_at: null, pinged_at: null });
  });

  it("an overlapping old secret counts", async () => {
    const shop = await openPostingShop(world.sql, "woocommerce");
    await world.sql`update site_secret set expires_at = now() + interval '1 hour' where id = ${shop.secretId}`;
    expect((await postShop(world.gateway, shop, order("pending", 0))).status).toBe(200);
    await world.sql`update site_secret set expires_at = now() where id = ${shop.secretId}`;
    expect((await postShop(world.gateway, shop, order("pending", 1))).status).toBe(401);
  });
});
