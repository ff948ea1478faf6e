import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openGateway } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { openPostingShop, shopAddress } from "../support/shop-requests.ts";
import { shopifyShop, wooCommerceShop } from "../support/shop.ts";
import { shopBody } from "../support/shops/bodies.ts";

/** A server between a shop and the gateway: it passes on, answers an error or breaks the line, in the order of `faults`, then passes on. */
async function openWay(target: string) {
  const faults: (number | "hands on, and loses the answer" | "nothing")[] = [];
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const fault = faults.shift();
    seen.push(request.headers["x-shopify-webhook-id"] as string | undefined);
    if (fault === "nothing") return void response.destroy();
    if (typeof fault === "number") return void response.writeHead(fault).end("<html>bad gateway</html>");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void handOn(target, request, Buffer.concat(chunks)).then(answered));
    const answered = ({ status, text }: Answered) =>
      fault === undefined ? response.writeHead(status, { "content-type": "application/json" }).end(text) : response.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    faults,
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answered {
  status: number;
  text: string;
}

async function handOn(target: string, { headers }: IncomingMessage, body: Buffer): Promise<Answered> {
  const own = Object.entries(headers).filter(([name]) => !["host", "connection", "content-length"].includes(name));
  const answer = await fetch(target, { method: "POST", headers: own as [string, string][], body: new Uint8Array(body) });
  return { status: answer.status, text: await answer.text() };
}

describe("shops behind a line with faults", () => {
  let database: TestDatabase;
  let platform: ScriptedPlatform;
  let gateway: Awaited<ReturnType<typeof openGateway>>;
  const times = { answerMs: 60_000, retryMs: 5 };
  const soon = { timeout: 30_000, interval: 10 };

  beforeAll(async () => {
    database = await testDatabase();
    platform = await startScriptedPlatform();
    gateway = await openGateway(database.url, platform.url, {}, { dueMs: 20 });
  });
  beforeEach(() => {
    platform.script(newMessageId);
    platform.sends.splice(0);
  });
  afterAll(async () => {
    for (const part of [gateway, platform, database]) await part?.[Symbol.asyncDispose]();
  });

  it("Shopify tries again until it is answered, with one id, and its customer gets one message", async () => {
    const shop = await openPostingShop(database.sql, "shopify");
    await using way = await openWay(shopAddress(gateway, shop));
    way.faults.push(502, "nothing", "hands on, and loses the answer", 500);
    const attempts = await shopifyShop(way.url, shop.signingSecret, times).post("orders/create", shopBody("shopify-orders-create"));
    expect(attempts.map(({ status }) => status)).toEqual([502, null, null, 500, 200]);
    expect(attempts.at(-1)?.answer).toMatchObject({ ok: true, event: "order.created", chat: "accepted" });
    expect(new Set(way.seen).size).toBe(1);
    await vi.waitFor(() => expect(platform.sends).toHaveLength(1), soon);
    expect(await database.sql`select name from event where site_id = ${shop.siteId}`).toEqual([{ name: "order.created" }]);
  });

  it("and gives up after eight retries", async () => {
    await using way = await openWay("http://127.0.0.1:9");
    way.faults.push(...Array.from({ length: 20 }, () => 503));
    expect(await shopifyShop(way.url, "shpss_1", times).post("orders/create", "{}")).toHaveLength(9);
  });

  it("WooCommerce tries once, and switches off after five failures in a row", async () => {
    const shop = await openPostingShop(database.sql, "woocommerce");
    await using way = await openWay(shopAddress(gateway, shop));
    const woo = wooCommerceShop(way.url, shop.signingSecret, times);
    expect(await woo.ping()).toEqual({ status: 200, answer: { ok: true, ping: true } });
    const post = async (status: string) =>
      (await woo.post("order.updated", shopBody("woocommerce-order-created").replace('"pending"', `"${status}"`))).map(
        (each) => each.status,
      );
    way.faults.push(500, 500, 500, 500);
    for (let failure = 0; failure < 4; failure += 1) expect(await post("processing")).toEqual([500]);
    expect([await post("processing"), woo.isActive()]).toEqual([[200], true]);
    way.faults.push(500, 500, "nothing", 500, 500);
    for (let failure = 0; failure < 5; failure += 1) await post("completed");
    expect([woo.isActive(), await post("completed")]).toEqual([false, []]);
    expect(await database.sql`select name from event where site_id = ${shop.siteId}`).toEqual([{ name: "payment.received" }]);
  });
});
