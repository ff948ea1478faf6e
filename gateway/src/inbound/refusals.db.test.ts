import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { jsonBytes } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway } from "../../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../../test/support/platform.ts";
import { type Posted, rawSocket } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";
import {
  openPostingShop,
  type PostingShop,
  postPing,
  postShop,
  shopAddress,
  type ShopDelivery,
  shopHeaders,
} from "../../../test/support/shop-requests.ts";
import { shopBody } from "../../../test/support/shops/bodies.ts";

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
const gateway = shared(async () => openGateway(database.url, platform.url, {}, limits));
const limits = { bodyIdleMs: 300, bodyMs: 600, discardIdleMs: 200 };

const order = shopBody("shopify-orders-create");
const answer = ({ status, json }: Posted) => [status, json["error"] ?? json["chat"]];
const set = (shop: PostingShop, values: Record<string, unknown>) =>
  database.sql`update site set ${database.sql(values)} where id = ${shop.siteId}`;
const stored = async ({ siteId }: PostingShop): Promise<number> => (await database.sql`select from event where site_id = ${siteId}`).length;

describe("a request is refused", () => {
  let shop: PostingShop;
  beforeAll(async () => {
    shop = await openPostingShop(database.sql, "shopify");
    await postShop(gateway, shop, order);
  });

  it.each([
    ["another secret", { secret: "shpss_other" }, order, 401, "Invalid signature"],
    ["another body", {}, `${order} `, 401, "Invalid signature"],
    ["no signature", { headers: { "X-Shopify-Hmac-Sha256": null } }, order, 401, "Invalid signature"],
    ["a signature in hex", { headers: { "X-Shopify-Hmac-Sha256": "0".repeat(64) } }, order, 401, "Invalid signature"],
    ["no topic", { headers: { "X-Shopify-Topic": null } }, order, 400, "Missing topic"],
    ["a topic that cannot be one", { headers: { "X-Shopify-Topic": "orders create" } }, order, 400, "Missing topic"],
  ] satisfies [string, ShopDelivery, string, number, string][])("with %s", async (_what, delivery, body, status, error) => {
    expect(answer(await postShop(gateway, shop, order, delivery, body))).toEqual([status, error]);
  });

  it.each(data<[string, string][]>("gateway-inbound-refusals", "with the body"))("with the body %j", async (body, error) => {
    expect(answer(await postShop(gateway, shop, body))).toEqual([400, error]);
  });

  it("as any other, and noted as such, when the webhook in the shop has no secret", async () => {
    const woo = await openPostingShop(database.sql, "woocommerce");
    expect(answer(await postShop(gateway, woo, shopBody("woocommerce-order-created"), { secret: "" }))).toEqual([401, "Invalid signature"]);
    const noted = () => database.sql`select because from refused_request where site_id = ${woo.siteId}`;
    await vi.waitFor(async () => expect(await noted()).toEqual([{ because: "secret_empty" }]), { timeout: 90_000, interval: 100 });
  });

  it("before its secret is stored, and with one that is over", async () => {
    const bare = await openPostingShop(database.sql, "shopify");
    await database.sql`update site_secret set expires_at = now() where site_id = ${bare.siteId} and kind = 'source_secret'`;
    expect(answer(await postShop(gateway, bare, order))).toEqual([401, "Invalid signature"]);
    await database.sql`delete from site_secret where site_id = ${bare.siteId} and kind = 'source_secret'`;
    expect(answer(await postShop(gateway, bare, order))).toEqual([401, "Invalid signature"]);
    expect(answer(await postShop(gateway, bare, order, { secret: bare.secret }))).toEqual([401, "Invalid signature"]);
  });

  it("by a disabled site, but not before its signature is known to be right", async () => {
    const disabled = await openPostingShop(database.sql, "shopify");
    await postShop(gateway, disabled, order);
    await set(disabled, { enabled: false });
    expect(answer(await postShop(gateway, disabled, order))).toEqual([403, "Site is disabled"]);
    expect(answer(await postShop(gateway, disabled, "{"))).toEqual([403, "Site is disabled"]);
    expect(answer(await postShop(gateway, disabled, order, { secret: "other" }))).toEqual([401, "Invalid signature"]);
    await set(disabled, { enabled: true });
    expect(answer(await postShop(gateway, disabled, order))).toEqual([200, "accepted"]);
  });

  it("over the site's limit, before its JSON is read", async () => {
    const limited = await openPostingShop(database.sql, "shopify");
    await set(limited, { rate_limit_per_second: 1 });
    await vi.waitFor(
      async () => {
        const posted = await Promise.all(Array.from({ length: 5 }, () => postShop(gateway, limited, "{")));
        const refused = posted.filter(({ status }) => status === 429);
        expect(answer(refused[0] as Posted)).toEqual([429, "Rate limit exceeded"]);
        expect(refused[0]?.headers.get("retry-after")).toBe("1");
      },
      { timeout: 5_000 },
    );
  });

  it("when its secret cannot be decrypted", async () => {
    const broken = await openPostingShop(database.sql, "shopify");
    await database.sql`update site_secret set secret = 'v1.broken' where site_id = ${broken.siteId} and kind = 'source_secret'`;
    expect(answer(await postShop(gateway, broken, order))).toEqual([503, "Site secret unreadable"]);
  });
});

describe("the address", () => {
  it.each(["x", "A".repeat(32), "A".repeat(4_000), "..", "%00", "%zz", "tok%2Fen", "a/b"])("%s is nobody's", async (token) => {
    for (const size of [2, 3_000_000]) {
      const response = await fetch(`${gateway.url}/api/public/in/${token}`, { method: "POST", body: "x".repeat(size) });
      expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
    }
  });

  it("of a deleted site, and one that was replaced, end at once, for pings and topics without event too", async () => {
    const shop = await openPostingShop(database.sql, "woocommerce");
    const post = () =>
      Promise.all([
        postShop(gateway, shop, shopBody("woocommerce-order-created")),
        postShop(gateway, shop, "{}", { topic: "coupon.created" }),
        postPing(gateway, shop),
      ]);
    expect((await post()).map(({ status }) => status)).toEqual([200, 200, 200]);
    await database.sql`update site set inbound_token = default where id = ${shop.siteId}`;
    expect((await post()).map(({ status }) => status)).toEqual([404, 404, 404]);
    const other = await openPostingShop(database.sql, "shopify");
    await postShop(gateway, other, order);
    await set(other, { deleted_at: new Date() });
    expect(answer(await postShop(gateway, other, order))).toEqual([404, "Not found"]);
  });

  it("answers the preflight, and names its methods", async () => {
    const shop = await openPostingShop(database.sql, "generic");
    const [preflight, got] = await Promise.all(["OPTIONS", "GET"].map((method) => fetch(shopAddress(gateway, shop), { method })));
    expect([preflight?.status, preflight?.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect([got?.status, got?.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
  });
});

describe("bytes of strangers", () => {
  it("two mebibytes are taken, one byte more is not, announced or not", async () => {
    const shop = await openPostingShop(database.sql, "shopify");
    const frame = JSON.stringify({ id: 1, note: "" });
    const full = frame.replace('""', `"${"x".repeat(2 * 1024 * 1024 - frame.length)}"`);
    expect(answer(await postShop(gateway, shop, full))).toEqual([200, "skipped_no_phone"]);
    expect(answer(await postShop(gateway, shop, `${full} `))).toEqual([413, "Body too large"]);
    const socket = await rawSocket(gateway.port);
    socket.send(`POST /api/public/in/${shop.token} HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const piece = "y".repeat(65_536);
    for (let n = 0; n < 33; n += 1) socket.send(`10000\r\n${piece}\r\n`);
    socket.send("0\r\n\r\n");
    expect((await socket.answer()).status).toBe(413);
    socket.socket.destroy();
  });

  it("a body that never ends is given up", async () => {
    const shop = await openPostingShop(database.sql, "shopify");
    const socket = await rawSocket(gateway.port);
    const head = Object.entries(shopHeaders(shop, order)).map(([name, value]) => `${name}: ${value}`);
    socket.send(`POST /api/public/in/${shop.token} HTTP/1.1\r\nHost: gateway\r\nContent-Length: 5000\r\n${head.join("\r\n")}\r\n\r\n{`);
    expect(await socket.answer()).toMatchObject({ status: 408, body: '{"error":"Request timeout"}' });
    await socket.closed();
    expect(await stored(shop)).toBe(0);
  });

  it("any bytes are taken or refused with a sentence, by every kind of shop", async () => {
    const shops = await Promise.all((["shopify", "woocommerce", "generic"] as const).map((type) => openPostingShop(database.sql, type)));
    const topics = fc.constantFrom(
      "orders/create",
      "fulfillments/create",
      "refunds/create",
      "customers/redact",
      "order.created",
      "order.updated",
      "%",
      "x:y:z",
    );
    const property = fc.asyncProperty(fc.constantFrom(...shops), jsonBytes, topics, async (shop, body, topic) => {
      const { status, json } = await postShop(gateway, shop, body, { topic });
      expect([200, 400]).toContain(status);
      expect(typeof (status === 200 ? json["chat"] : json["error"])).toBe("string");
    });
    await fc.assert(property, { numRuns: scaled(40, 150), interruptAfterTimeLimit: 30_000 });
  }, 60_000);
});
