import { signBody } from "shared/secrets/signature";
import { expect, it, beforeAll, afterAll, describe } from "vitest";
import { type InsertedNotification, insertNotifications } from "../support/gateway.ts";
import { type Callbacks, openCallbacks } from "../support/requests.ts";
import { readAnswers, talk } from "./fuzz/answers.ts";
import { historyViolations, recordHistory } from "./harness/ledger.ts";
import { report, scaled } from "./harness/scale.ts";

describe("limits", () => {
  const largest = 3 * 1024 * 1024;
  const messages = scaled(800, 12_000);

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

  it("hundreds of statuses at exactly the limit count, once, however often and however late they are repeated", async () => {
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
