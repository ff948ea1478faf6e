import { signBody } from "shared/secrets/signature";
import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { shortLimits } from "../../support/faults/short-limits.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { type RawSocket, rawSocket } from "../../support/gateway/raw-socket.ts";
import type { Shop } from "../../support/gateway/shop.ts";

const events = scaled(120, 2000);
const pipelined = scaled(30, 300);
const odd = scaled(60, 600);
const limits = { ...shortLimits, headersMs: 1500, bodyIdleMs: 1000, bodyMs: 2000, keepAliveMs: 1000, socketIdleMs: 2000 };

/** The bytes of a whole request. */
function requestBytes(shop: Shop, key: string, phone: string): Buffer {
  const body = Buffer.from(JSON.stringify({ customer: { first_name: "Ada", phone_e164: phone }, order: { id: key } }));
  const head = [
    "POST /api/public/ingest/generic/order.created HTTP/1.1",
    "Host: gateway",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Service-Site-Key: ${shop.key}`,
    `X-Service-Signature: ${signBody(shop.secret, body)}`,
    `X-Service-Idempotency-Key: ${key}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

it(
  "pipelining, half-open sockets, requests that never end and bytes that are no request do not disturb the service",
  async () => {
    const random = scenarioRandom(701);
    await using world = await openWorld(random);
    await using gateway = await openGateway(world.databaseUrl, world.platform.url, {}, limits);
    world.gateways.push(gateway.url);
    const [, { shop } = { shop: null }] = world.shops;
    if (!shop) throw new Error("no shop");

    const nuisances: ((socket: RawSocket, n: number) => void)[] = [
      () => undefined,
      (socket) => socket.send("POST /api/public/ingest/generic/order.created HTTP/1.1\r\nHost: gateway\r\nX-Slow: "),
      (socket, n) => socket.send(requestBytes(shop, `never-${n}`, "+15559990000").subarray(0, -5)),
      (socket, n) => {
        socket.send(requestBytes(shop, `never-${n}`, "+15559990000").subarray(0, -5));
        socket.socket.resetAndDestroy();
      },
      (socket, n) => {
        socket.send(requestBytes(shop, `never-${n}`, "+15559990000").subarray(0, -5));
        socket.socket.end();
      },
      (socket) => socket.send("\u0016\u0003\u0001 this is no HTTP\r\n\r\n"),
      (socket) => socket.send(`GET /api/public/health HTTP/1.1\r\nHost: gateway\r\nX-Large: ${"x".repeat(40_000)}\r\n\r\n`),
      (socket) =>
        socket.send(
          "POST /api/public/ingest/generic/order.created HTTP/1.1\r\nHost: gateway\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
    ];
    const sockets: RawSocket[] = [];
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 8 });
    for (let n = 0; n < odd; n += 1) {
      const socket = await rawSocket(gateway.port);
      sockets.push(socket);
      nuisances[n % nuisances.length]?.(socket, n);
    }
    const pipe = await rawSocket(gateway.port);
    const keys = Array.from({ length: pipelined }, (_, n) => ({ key: `pipelined-${n}`, phone: `+1555400${String(n).padStart(4, "0")}` }));
    pipe.send(Buffer.concat(keys.map(({ key, phone }) => requestBytes(shop, key, phone))));
    for (const { key, phone } of keys) {
      const { status, body } = await pipe.answer();
      expect(status).toBe(200);
      ledger.entries.push({
        key,
        shop,
        recipients: [phone],
        answers: [{ status, body, json: JSON.parse(body) as Record<string, unknown>, headers: new Headers() }],
      });
    }
    await done;
    expect(ledger.refused).toBe(0);
    // The gateway ends them itself, each by the limit that it has broken.
    await Promise.all(sockets.map(async (socket) => socket.closed()));
    expect(await world.sql`select id from event where idempotency_key like 'never-%'`).toEqual([]);
    const found = await violations({ ...world, ledger, excuses: [] });
    report("odd clients", { seed: random.seed, events, pipelined, odd, requests: ledger.requests, violations: found.length });
    expect(found).toEqual([]);
  },
  scaled(60_000, 300_000),
);
