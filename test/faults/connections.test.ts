import { expect, it, beforeAll, describe } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openGateway, type Shop, openShop } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { type RawSocket, rawSocket } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { readAnswers, talk } from "./fuzz/answers.ts";
import { untilSound } from "./harness/invariants.ts";
import { requestBytes, startLoad } from "./harness/load.ts";
import { scaled, scenarioRandom } from "./harness/scale.ts";
import { ambiguous, clear, refused, type Shape, signedEvent } from "./harness/smuggling.ts";
import { openWorld } from "./harness/world.ts";

describe("odd clients", () => {
  const events = scaled(120, 2000);
  const pipelined = scaled(30, 300);
  const odd = scaled(60, 600);
  // `socketIdleMs` is longer than any answer takes here: it also ends a request that waits for a stalled database.
  const limits = { headersMs: 1500, bodyIdleMs: 1000, bodyMs: 2000, keepAliveMs: 1000, socketIdleMs: 8_000 };

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
      // The gateway ends the connections itself, each by the limit that it has broken.
      await Promise.all(sockets.map(async (socket) => socket.closed()));
      expect(await world.sql`select id from event where idempotency_key like 'never-%'`).toEqual([]);
      await untilSound("odd clients", { ...world, ledger, random, excuses: [], counts: { events, pipelined, odd } });
    },
    scaled(60_000, 300_000),
  );
});

describe("smuggling", () => {
  const database = shared(testDatabase);
  const platform = shared(startScriptedPlatform);
  const limits = { discardIdleMs: 300, bodyIdleMs: 1_000, headersMs: 2_000 };
  const gateway = shared(() => openGateway(database.url, platform.url, {}, limits));
  let attacker: Shop;
  let victim: Shop;
  beforeAll(async () => {
    [attacker, victim] = await Promise.all([openShop(database.sql), openShop(database.sql)]);
  });

  let rounds = 0;

  /** Sends the attacker's bytes and right behind them, as a proxy would, the victim's request. Answers every status, and whose events are stored. */
  async function share(shape: Shape): Promise<{ statuses: number[]; stored: string[] }> {
    rounds += 1;
    const [own, inner, next] = [
      signedEvent(attacker, `own-${rounds}`),
      signedEvent(attacker, `inner-${rounds}`),
      signedEvent(victim, `next-${rounds}`),
    ];
    const bytes = Buffer.from(
      `${shape(own, inner)}${next.whole}GET /api/public/health HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`,
      "latin1",
    );
    const { answers, problem } = readAnswers((await talk(gateway.port, [bytes])).bytes);
    expect(problem).toBeNull();
    const rows = await database.sql<{ name: string; site_id: string }[]>`
    select split_part(idempotency_key, '-', 1) as name, site_id from event where idempotency_key like ${`%-${rounds}`} order by name`;
    const owner = new Map([
      [attacker.siteId, "attacker"],
      [victim.siteId, "victim"],
    ]);
    return {
      statuses: answers.map(({ status }) => status),
      stored: rows.map(({ name, site_id }) => `${name} of the ${owner.get(site_id)}`),
    };
  }

  describe("behind a request of which nobody can tell where it ends", () => {
    it.each(ambiguous)("nothing is read: %s", async (_, shape) => {
      expect(await share(shape)).toEqual({ statuses: [400], stored: [] });
    });
  });

  describe("behind a request that only looks odd", () => {
    it.each(clear)("the next is its sender's own: %s", async (_, shape) => {
      expect(await share(shape)).toEqual({ statuses: [200, 200, 200], stored: ["next of the victim", "own of the attacker"] });
    });
  });

  describe("behind a request that is refused", () => {
    it.each(refused)("nothing that was hidden in it is done: %s", async (_, status, shape) => {
      const { statuses, stored } = await share(shape);
      expect(statuses[0]).toBe(status);
      // The connection may end with it; then the victim's request is not done either, and its client comes again.
      expect([[status], [status, 200, 200]]).toContainEqual(statuses);
      expect(stored).toEqual(statuses.length === 1 ? [] : ["next of the victim"]);
    });
  });

  it("a request that lacks its end takes nothing of the next one for its own", async () => {
    const cut: Shape[] = [
      (own) => `${own.head}X-Swallow: `,
      (own) => `${own.head}Content-Length: ${own.body.length + 400}\r\n\r\n${own.body}`,
      (own) => `${own.head}Transfer-Encoding: chunked\r\n\r\n${own.body.length.toString(16)}\r\n${own.body}\r\n`,
    ];
    for (const shape of cut) {
      const { statuses, stored } = await share(shape);
      expect([400, 401]).toContain(statuses[0]);
      expect(stored).toEqual([]);
    }
  });

  it("an upgrade is taken as the plain request that it also is, and is the last on its connection", async () => {
    const headers = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    const { statuses, stored } = await share((own) => own.whole.replace("Host:", `${headers}Host:`));
    expect({ statuses, stored }).toEqual({ statuses: [200], stored: ["own of the attacker"] });
  });

  describe("CONNECT", () => {
    const tunnel = Buffer.from("CONNECT gateway:443 HTTP/1.1\r\nHost: gateway\r\n\r\n");

    it("is refused after what came before it is answered", async () => {
      const { statuses, stored } = await share((own, inner) => `${own.whole}${tunnel.toString()}${inner.whole}`);
      expect({ statuses, stored }).toEqual({ statuses: [200, 405], stored: ["own of the attacker"] });
    });

    it("from a client that is gone at once does not end the process", async () => {
      const own = signedEvent(attacker, "gone");
      for (let n = 0; n < 50; n += 1)
        await talk(gateway.port, [n % 2 === 0 ? tunnel : Buffer.concat([Buffer.from(own.whole), tunnel])], "reset");
      const { answers } = readAnswers(
        (await talk(gateway.port, [Buffer.from("GET /api/public/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")])).bytes,
      );
      expect(answers.map(({ status }) => status)).toEqual([200]);
    });
  });
});
