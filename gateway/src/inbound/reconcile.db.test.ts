import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway, spawnGateway } from "../../../test/support/gateway.ts";
import { newMessageId, startScriptedPlatform } from "../../../test/support/platform.ts";
import { askAgain, openAskedShop, type RestShop, restKey, startRestShop, wooOrder } from "../../../test/support/rest-shop.ts";
import { shared } from "../../../test/support/shared.ts";
import { type PostingShop, postShop } from "../../../test/support/shop-requests.ts";
import type { Gateway } from "../start.ts";

const timeLimits = { dueMs: 20, reconcileTickMs: 20 };
const soon = { timeout: 30_000, interval: 50 };
const asked = { moreEvents: ["payment.received", "order.shipped"] };

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
let gateway: Gateway;
let rest: RestShop;

beforeAll(async () => {
  rest = await startRestShop();
  gateway = await openGateway(database.url, platform.url, {}, timeLimits);
});
afterEach(async () => {
  // Each test asks its own site alone.
  await database.sql`delete from reconcile`;
  platform.script(newMessageId);
  platform.sends.splice(0);
  Object.assign(rest, { orders: [], requests: [], mostAtOnce: 0, answer: null });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await rest?.[Symbol.asyncDispose]();
});

const open = (options: object = {}) => openAskedShop(database.sql, rest, { ...asked, ...options, isDue: false });
const ask = (shop: PostingShop) => askAgain(database.sql, shop);
const eventsOf = async ({ siteId }: PostingShop) =>
  (await database.sql<{ name: string }[]>`select name from event where site_id = ${siteId} order by id`).map(({ name }) => name);
const post = (shop: PostingShop, order: object, topic: string) => postShop(gateway, shop, JSON.stringify(order), { topic });
const whole = { problem: null };
/** Orders of which those at the given places mean an event, and the others are drafts. */
const pages = (firstId: number, count: number, places: number[]) =>
  Array.from({ length: count }, (_, n) =>
    wooOrder(firstId + n, { createdAgo: n + 1, status: places.includes(n) ? "pending" : "checkout-draft" }),
  );

describe("an order that never came", () => {
  it.each([false, true])("is taken once and sent; the shop's own request is its repeat (encrypted: %s)", async (encrypted) => {
    const order = wooOrder(1);
    rest.orders = [order];
    const shop = await open({ encrypted });
    expect(await ask(shop)).toEqual({ taken: 1, ...whole });
    await vi.waitFor(() => expect(platform.sends.map(({ body }) => body.to)).toEqual(["+491710000001"]), soon);
    expect(await eventsOf(shop)).toEqual(["order.created"]);
    const late = await post(shop, order, "order.created");
    const [event] = await database.sql<[{ id: string; source: string }]>`select id, source from event where site_id = ${shop.siteId}`;
    expect([late.status, late.json["event_id"], event.source]).toEqual([200, event.id, "woocommerce"]);
    expect(late.headers.get("x-service-idempotent-replay")).toBe("true");
    expect((await post(shop, order, "order.updated")).json).toMatchObject({ event: null, chat: "ignored" });
    expect(await ask(shop)).toEqual({ taken: 0, ...whole });
    expect(await eventsOf(shop)).toEqual(["order.created"]);
  });

  it("is told of once, also when its own request comes in a later state", async () => {
    const order = wooOrder(2);
    rest.orders = [order];
    const shop = await open();
    await ask(shop);
    const late = await post(shop, { ...order, status: "processing", date_modified_gmt: "2099-01-01T00:00:00" }, "order.created");
    expect([late.json["event"], late.headers.get("x-service-idempotent-replay")]).toEqual(["order.created", "true"]);
    expect(await eventsOf(shop)).toEqual(["order.created"]);
  });

  it("and was refunded meanwhile tells both in one run", async () => {
    rest.orders = [{ ...wooOrder(3), refunds: [{ id: 1, total: "-1.00" }] }];
    const shop = await open({ moreEvents: ["order.refunded"] });
    expect(await ask(shop)).toEqual({ taken: 2, ...whole });
    expect(await eventsOf(shop)).toEqual(["order.created", "order.refunded"]);
  });

  it("counts by its status when it is older than two days, or new orders mean nothing here", async () => {
    rest.orders = [wooOrder(3, { status: "completed", createdAgo: 5_000, modifiedAgo: 10 }), wooOrder(4, { status: "processing" })];
    const shop = await open();
    await database.sql`update site set topic_map = '{"order.created": null}' where id = ${shop.siteId}`;
    expect(await ask(shop)).toEqual({ taken: 2, ...whole });
    expect((await eventsOf(shop)).toSorted()).toEqual(["order.shipped", "payment.received"]);
  });

  it("is none while it is a draft, or when nothing about it can be told", async () => {
    rest.orders = [wooOrder(5, { status: "checkout-draft" }), wooOrder(6, { status: "on-hold", createdAgo: 5_000, modifiedAgo: 10 })];
    rest.answer = (_, response, page) => response.end(JSON.stringify([...page(), null, 7, [], {}, { id: null }]));
    expect(await ask(await open())).toEqual({ taken: 0, ...whole });
  });
});

describe("an order that came", () => {
  it("is left alone until its status has changed; that counts once, whoever tells of it", async () => {
    const order = wooOrder(11);
    const shop = await open();
    await ask(shop);
    await post(shop, order, "order.created");
    rest.orders = [order];
    expect(await ask(shop)).toEqual({ taken: 0, ...whole });
    const paid = { ...order, ...wooOrder(11, { status: "processing", modifiedAgo: 1 }) };
    rest.orders = [paid];
    expect(await ask(shop)).toEqual({ taken: 1, ...whole });
    const late = await post(shop, paid, "order.updated");
    expect([late.json["event"], late.headers.get("x-service-idempotent-replay")]).toEqual(["payment.received", "true"]);
    expect(await eventsOf(shop)).toEqual(["order.created", "payment.received"]);
  });

  it("and of which a status was seen that means nothing is known by that", async () => {
    const order = wooOrder(12, { status: "processing" });
    const shop = await open();
    await post(shop, order, "order.created");
    rest.orders = [wooOrder(12, { status: "on-hold", modifiedAgo: 5 })];
    expect(await ask(shop)).toEqual({ taken: 0, ...whole });
    rest.orders = [wooOrder(12, { status: "processing", modifiedAgo: 1 })];
    expect(await ask(shop)).toEqual({ taken: 1, ...whole });
  });

  it("with a refund and a new status tells the refund, and the status at once as the shop can be asked", async () => {
    const order = wooOrder(15);
    const shop = await openAskedShop(database.sql, rest, { moreEvents: ["order.refunded", "order.cancelled"] });
    await post(shop, order, "order.created");
    await vi.waitFor(
      async () => expect(await database.sql`select from reconcile where due_at > now() and owner is null`).toHaveLength(1),
      soon,
    );
    const refunds = [
      { id: 2, total: "-2.00" },
      { id: 1, total: "-1.00" },
    ];
    const changed = { ...order, ...wooOrder(15, { status: "cancelled", modifiedAgo: 1 }), refunds };
    rest.orders = [changed];
    expect((await post(shop, changed, "order.updated")).json["event"]).toBe("order.refunded");
    await vi.waitFor(async () => expect(await eventsOf(shop)).toHaveLength(4), soon);
    expect(await eventsOf(shop)).toEqual(["order.created", "order.refunded", "order.refunded", "order.cancelled"]);
  });

  it("and whose customer was erased does not come again", async () => {
    const order = wooOrder(13);
    const shop = await open();
    await post(shop, order, "order.created");
    await database.sql`delete from customer_order where site_id = ${shop.siteId}`;
    rest.orders = [order];
    expect(await ask(shop)).toEqual({ taken: 0, ...whole });
  });

  it("while the shop was asked is newer than the shop's answer", async () => {
    const order = wooOrder(14);
    rest.orders = [order];
    const shop = await open();
    rest.answer = async (_, response, page) => {
      const old = JSON.stringify(page());
      await post(shop, wooOrder(14, { status: "processing", modifiedAgo: 0 }), "order.created");
      response.end(old);
    };
    expect(await ask(shop)).toEqual({ taken: 0, ...whole });
    expect(await eventsOf(shop)).toEqual(["order.created"]);
  });
});

it("the shop is asked as its API takes it, page by page", async () => {
  rest.orders = pages(1000, 205, [0, 99, 100, 199, 200, 204]);
  const shop = await openAskedShop(database.sql, { url: `${rest.url}/shop/` });
  await vi.waitFor(async () => expect(await eventsOf(shop)).toHaveLength(6), soon);
  const own = rest.requests.slice(-3);
  expect(own.map(({ url }) => url.searchParams.get("page"))).toEqual(["1", "2", "3"]);
  const { url, authorization } = own[0] ?? { url: new URL("x:"), authorization: "" };
  expect(authorization).toBe(`Basic ${Buffer.from(restKey).toString("base64")}`);
  expect(url.pathname).toBe("/shop/wp-json/wc/v3/orders");
  const { modified_after: after, ...query } = Object.fromEntries(url.searchParams);
  expect(query).toEqual({ per_page: "100", page: "1", dates_are_gmt: "true", orderby: "modified" });
  expect(Date.now() - new Date(`${after}Z`).getTime()).toBeCloseTo(48 * 3_600_000, -5);
});

describe("a shop that does not answer with its orders", () => {
  it.each<[string, NonNullable<RestShop["answer"]>, object]>([
    ["401", (_, response) => response.writeHead(401).end("{}"), { code: "shop_refuses_key", status: 401 }],
    ["404", (_, response) => response.writeHead(404).end("{}"), { code: "shop_without_orders" }],
    ["500", (_, response) => response.writeHead(500).end("<h1>"), { code: "shop_failed", status: 500 }],
    ["a redirect", (_, response) => response.writeHead(301, { location: "http://169.254.169.254/" }).end(), { code: "shop_redirects" }],
    ["a page of HTML", (_, response) => response.end("<!doctype html>"), { code: "shop_answer_unreadable" }],
    ["an object", (_, response) => response.end('{"orders":[]}'), { code: "shop_answer_unreadable" }],
    ["10 MB", (_, response) => response.end(`["${"x".repeat(10_000_000)}"]`), { code: "shop_answer_too_large", megabytes: 8 }],
    ["depth", (_, response) => response.end("[".repeat(200_000)), { code: "shop_answer_unreadable" }],
    ["a broken connection", (request) => request.socket.destroy(), { code: "shop_unreachable", cause: expect.any(String) as string }],
  ])("but with %s has a problem, and loses nothing", async (_, answer, problem) => {
    rest.orders = [wooOrder(21)];
    rest.answer = answer;
    const shop = await open();
    expect(await ask(shop)).toEqual({ taken: 0, problem });
    rest.answer = null;
    expect(await ask(shop)).toEqual({ taken: 1, ...whole });
    expect(await eventsOf(shop)).toEqual(["order.created"]);
  });

  it("but with nothing, or half an answer, for too long has a problem, and loses nothing", async () => {
    await using own = await testDatabase();
    rest.orders = [wooOrder(22)];
    const shop = await openAskedShop(own.sql, rest, { isDue: false });
    {
      await using _impatient = await openGateway(own.url, platform.url, {}, { ...timeLimits, shopAnswerMs: 1_000 });
      for (const answer of [() => undefined, (_, response) => void response.writeHead(200).write("[")] satisfies RestShop["answer"][]) {
        rest.answer = answer;
        expect(await askAgain(own.sql, shop)).toEqual({ taken: 0, problem: { code: "shop_timeout", seconds: 1 } });
      }
    }
    rest.answer = null;
    await using _patient = await openGateway(own.url, platform.url, {}, timeLimits);
    expect(await askAgain(own.sql, shop)).toEqual({ taken: 1, ...whole });
  });

  it("keeps what came before: the second page fails, and the rest comes later", async () => {
    rest.orders = pages(2000, 101, [0, 99, 100]);
    rest.answer = (request, response, page) =>
      request.url?.includes("page=2") === true ? response.writeHead(503).end() : response.end(JSON.stringify(page()));
    const shop = await open();
    expect(await ask(shop)).toEqual({ taken: 2, problem: { code: "shop_failed", status: 503 } });
    rest.answer = null;
    expect(await ask(shop)).toEqual({ taken: 1, ...whole });
    expect(await eventsOf(shop)).toHaveLength(3);
  });

  it("is not asked at another address than the key was entered for, nor while the site refuses events", async () => {
    const shop = await open();
    await ask(shop);
    await database.sql`update site set url = 'http://127.0.0.1:9' where id = ${shop.siteId}`;
    expect(await ask(shop)).toEqual({ taken: 0, problem: { code: "shop_address_changed" } });
    const asks = rest.requests.length;
    await database.sql`update site set enabled = false, url = ${rest.url} where id = ${shop.siteId}`;
    await database.sql`update reconcile set due_at = now() where site_id = ${shop.siteId}`;
    const later = () => database.sql`select from reconcile where site_id = ${shop.siteId} and due_at > now() and owner is null`;
    await vi.waitFor(async () => expect(await later()).toHaveLength(1), soon);
    expect(rest.requests).toHaveLength(asks);
  });

  it("has a problem since its first failure, and no other gateway tells its private address", async () => {
    await using careful = await testDatabase();
    await using _gateway = await openGateway(careful.url, platform.url, { allowPrivate: undefined }, timeLimits);
    const shop = await openAskedShop(careful.sql, rest, { isDue: false });
    expect(await askAgain(careful.sql, shop)).toEqual({ taken: 0, problem: { code: "shop_address_private" } });
    const since = () => careful.sql`select problem_since::text from reconcile`;
    const first = await since();
    await askAgain(careful.sql, shop);
    expect([await since(), rest.requests]).toEqual([first, []]);
  });
});

describe("several gateways", () => {
  it("ask a shop one at a time, and take each order once beside the shop's own requests", async () => {
    await using own = await testDatabase();
    const open2 = () => openGateway(own.url, platform.url, {}, { ...timeLimits, reconcileEveryMs: 100 });
    await using first = await open2();
    await using _second = await open2();
    rest.orders = Array.from({ length: 20 }, (_, n) => wooOrder(3000 + n, { status: "processing", createdAgo: n + 1 }));
    const shop = await openAskedShop(own.sql, rest, asked);
    const posted = rest.orders.map((order) => postShop(first, shop, JSON.stringify(order), { topic: "order.created" }));
    expect((await Promise.all(posted)).every(({ status }) => status === 200)).toBe(true);
    await vi.waitFor(() => expect(rest.requests.length).toBeGreaterThan(5), soon);
    const events = await own.sql<{ orders: number; events: number }[]>`
      select count(distinct order_id)::integer as orders, count(*)::integer as events from event`;
    expect([events, rest.mostAtOnce]).toEqual([[{ orders: 20, events: 20 }], 1]);
  });

  it("go on where one was killed between the shop's answer and the order", async () => {
    await using own = await testDatabase();
    rest.orders = [wooOrder(31), wooOrder(32, { createdAgo: 31 })];
    const shop = await openAskedShop(own.sql, rest, asked);
    const options = { databaseUrl: own.url, platformApiUrl: platform.url, timeLimits };
    const doomed = await spawnGateway({ ...options, crash: { step: "claim", nth: 2 } });
    await doomed.ended;
    expect(await own.sql`select count(*)::integer as events from event`).toEqual([{ events: 1 }]);
    await using _survivor = await spawnGateway(options);
    // Lets the lease end, as time would.
    await own.sql`update reconcile set lease_until = now()`;
    await vi.waitFor(async () => expect(await own.sql`select taken, problem from reconcile`).toEqual([{ taken: 1, ...whole }]), soon);
    expect(await own.sql`select count(*)::integer as events, count(distinct order_id)::integer as orders from event`).toEqual([
      { events: 2, orders: 2 },
    ]);
    // Nobody knows what became of the messages that the first gateway was sending when it was killed.
    await vi.waitFor(async () => expect(await own.sql`select status from notification where status = 'sent'`).not.toEqual([]), soon);
    const phones = platform.sends.map(({ body }) => `${body.to} ${JSON.stringify(body.template)}`);
    expect(new Set(phones).size).toBe(phones.length);
    expect(shop.sourceType).toBe("woocommerce");
  });
});
