import { signBody } from "shared/secrets/signature";
import { expect, it, beforeAll, afterAll, describe } from "vitest";
import { openGateway, openShop, type InsertedNotification, insertNotifications } from "../support/gateway.ts";
import { postUpdates, type Callbacks, openCallbacks } from "../support/requests.ts";
import { readAnswers, talk } from "./fuzz/answers.ts";
import { violations } from "./harness/invariants.ts";
import { historyViolations, recordHistory } from "./harness/ledger.ts";
import { startLoad } from "./harness/load.ts";
import { report, scaled, scenarioRandom } from "./harness/scale.ts";
import { openWorld } from "./harness/world.ts";

describe("callbacks", () => {
  const events = scaled(80, 2000);
  const storms = scaled(60, 2000);
  const words = ["sent", "delivered", "read", "failed"];

  it(
    "callbacks that are repeated, late, out of order and contradictory only ever move a status up; forged ones move nothing",
    async () => {
      const random = scenarioRandom(501);
      await using world = await openWorld(random);
      await using one = await openGateway(world.databaseUrl, world.platform.url);
      await using other = await openGateway(world.databaseUrl, world.platform.url);
      world.gateways.push(one.url, other.url);
      const stranger = await openShop(world.sql);
      const [{ shop } = { shop: stranger }] = world.shops;
      const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 8 });

      // The statuses of each message that were reported in truth, by somebody who may report them.
      const said = new Map<string, Set<string>>();
      const forgeries = { bodies: 0, accepted: 0, changed: 0 };
      const storm = async (): Promise<void> => {
        const { body, id } = random.pick(world.platform.taken);
        const status = random.pick(words);
        const update = {
          id,
          status,
          timestamp: String(Math.floor(Date.now() / 1000) - random.whole(0, 86_400)),
          recipient_id: body.to.slice(1),
          biz_opaque_callback_data: body.biz_opaque_callback_data,
          ...(status === "failed" && { errors: [{ code: 131026, title: "Undeliverable" }] }),
        };
        if (random.often(0.3)) return await forge(update);
        said.set(id, (said.get(id) ?? new Set()).add(status));
        const times = random.whole(1, 4);
        const answers = await Promise.all(
          Array.from({ length: times }, async () => postUpdates({ url: random.pick(world.gateways) }, shop, [update, update])),
        );
        expect(answers.map(({ status: code }) => code)).toEqual(Array.from({ length: times }, () => 200));
      };
      const forge = async (update: object): Promise<void> => {
        forgeries.bodies += 1;
        const url = { url: random.pick(world.gateways) };
        const unsigned = await postUpdates(url, { ...shop, appSecret: stranger.appSecret }, [update]);
        expect(unsigned.status).toBe(401);
        // The callback is signed, but by an account that has nothing to do with the message.
        expect((await postUpdates(url, stranger, [{ ...update, status: "read" }])).status).toBe(200);
        const tampered = Buffer.from(JSON.stringify({ entry: [update] }));
        const headers = {
          "Content-Type": "application/json",
          "X-Hub-Signature-256": signBody(shop.appSecret, Buffer.concat([tampered, Buffer.from(" ")])),
        };
        const response = await fetch(`${url.url}/api/public/platform/webhook/${shop.accountId}`, {
          method: "POST",
          headers,
          body: tampered,
        });
        expect(response.status).toBe(401);
      };
      await done;
      for (let i = 0; i < storms; i += 10) await Promise.all(Array.from({ length: 10 }, storm));

      const found = (await violations({ ...world, ledger, excuses: null })).filter(
        (problem) => !problem.startsWith("taken, but in the log as failed"),
      );
      const rows = await world.sql<
        { wa_message_id: string; status: string }[]
      >`select wa_message_id, status::text from notification where wa_message_id is not null`;
      const ladder = ["sent", "failed", "delivered", "read"];
      for (const { wa_message_id: id, status } of rows) {
        const highest = [...(said.get(id) ?? []), "delivered"].map((word) => ladder.indexOf(word)).reduce((a, b) => Math.max(a, b));
        if (ladder.indexOf(status) < highest) found.push(`${id} is ${status}, although ${[...(said.get(id) ?? [])].join()} was said`);
        if (status === "read" && !said.get(id)?.has("read") && !world.platform.said(id).includes("read"))
          found.push(`${id} is read, which only a forger said`);
      }
      report("callbacks", { seed: random.seed, events, storms, forgeries: forgeries.bodies, violations: found.length });
      expect(found).toEqual([]);
    },
    scaled(60_000, 300_000),
  );
});

describe("limits", () => {
  const largest = 3 * 1024 * 1024;
  const messages = scaled(2_000, 12_000);

  let at: Callbacks;
  let rows: InsertedNotification[];
  beforeAll(async () => {
    at = await openCallbacks();
    await recordHistory(at.database.owner);
    rows = await insertNotifications(
      at.database.sql,
      at.shop,
      Array.from({ length: messages }, () => ({ status: "sending" })),
    );
  });
  afterAll(async () => at?.[Symbol.asyncDispose]());

  /** A callback with `status` for every message, filled up to this many bytes. */
  function huge(status: string, bytes: number, timestamp = "1790000000"): Buffer {
    const statuses = rows.map(({ id, reference }) => ({ id: `wamid.${id}`, status, timestamp, biz_opaque_callback_data: reference }));
    const text = JSON.stringify({ entry: [{ id: "1001", changes: [{ field: "messages", value: { statuses } }] }] });
    return Buffer.concat([Buffer.from(text), Buffer.alloc(bytes - text.length, " ")]);
  }

  /** Sends the body in one piece with a length, or in chunks whose end is not known beforehand; answers status and body. */
  async function send(body: Buffer, framing: "length" | "chunks", secret = at.shop.appSecret): Promise<[number, string] | undefined> {
    const head = [
      `POST ${new URL(at.urlOf()).pathname} HTTP/1.1`,
      "Host: gateway",
      "Connection: close",
      `X-Hub-Signature-256: ${signBody(secret, body)}`,
      framing === "length" ? `Content-Length: ${body.length}` : "Transfer-Encoding: chunked",
    ];
    const pieces = framing === "length" ? [body] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")];
    const { answers, problem } = readAnswers((await talk(at.gateway.port, [Buffer.from(`${head.join("\r\n")}\r\n\r\n`), ...pieces])).bytes);
    expect([problem, answers.length]).toEqual([null, 1]);
    return answers.map(({ status, body: text }): [number, string] => [status, text])[0];
  }

  const counts = async (): Promise<Record<string, number>> => {
    const found = await at.database.sql<
      { status: string; n: number }[]
    >`select status::text, count(*)::integer as n from notification group by status`;
    return Object.fromEntries(found.map(({ status, n }) => [status, n]));
  };
  const changes = async (): Promise<number> =>
    (await at.database.sql<{ n: number }[]>`select count(*)::integer as n from status_history`)[0]?.n ?? 0;

  it("one byte over the limit, or forged at the limit, and nothing of it is done", async () => {
    const over: [number, string] = [413, '{"error":"Body too large"}'];
    const forged: [number, string] = [401, '{"error":"Invalid signature"}'];
    for (const framing of ["length", "chunks"] as const) {
      expect(await send(huge("read", largest + 1), framing)).toEqual(over);
      expect(await send(huge("read", largest + 1), framing, "a forger's secret")).toEqual(over);
      expect(await send(huge("read", largest), framing, "a forger's secret")).toEqual(forged);
    }
    expect(await counts()).toEqual({ sending: messages });
  });

  it("thousands of statuses at exactly the limit count, once, however often and however late they are repeated", async () => {
    const ok: [number, string] = [200, '{"ok":true}'];
    const times = scaled(3, 10);
    expect(await send(huge("delivered", largest), "length")).toEqual(ok);
    expect([await counts(), await changes()]).toEqual([{ delivered: messages }, messages]);
    const repeated = Array.from({ length: times }, async (_, i) => send(huge("delivered", largest), i % 2 === 0 ? "length" : "chunks"));
    expect(await Promise.all(repeated)).toEqual(Array.from({ length: times }, () => ok));
    expect(await changes()).toBe(messages);
    // The update is days late and about an earlier step: it is known already.
    expect(await send(huge("sent", largest, "1789800000"), "chunks")).toEqual(ok);
    expect([await counts(), await changes()]).toEqual([{ delivered: messages }, messages]);
    expect(await historyViolations(at.database.sql)).toEqual([]);
    report("huge callbacks", { messages, bytes: largest, repeated: times });
  });
});
