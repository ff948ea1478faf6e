import { BlockList } from "node:net";
import { SaidError } from "shared/core/wording";
import { createGuardedFetch } from "shared/guarded-request";
import { afterEach, describe, expect, it } from "vitest";
import { costOfAnswer, type ModelReply, type ModelServer, startModelServer } from "../../../test/support/model-server.ts";
import { ask, type AnswerPart } from "./provider.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);

const kinds = ["openai", "anthropic"] as const;
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]();
});

async function askOnce(
  kind: (typeof kinds)[number],
  reply: ModelReply,
  { signal = new AbortController().signal, allowed = loopback as BlockList | null, url = "", structured = true, model = "m-1" } = {},
) {
  const server = await startModelServer(kind);
  open.push(server);
  server.reply(() => reply);
  await using guarded = createGuardedFetch(allowed, 100_000);
  const settings = { provider: kind, baseUrl: url || server.url, model, apiKey: "sk-secret-1", outputTokens: 500 };
  const request = { system: "S", messages: [{ role: "user" as const, content: "Q" }], schema: structured ? schema : null };
  const parts: AnswerPart[] = [];
  try {
    for await (const part of ask(settings, request, { signal, fetch: guarded.fetch })) parts.push(part);
    return { server, parts, text: parts.map((part) => ("text" in part ? part.text : "")).join(""), error: null };
  } catch (error) {
    return { server, parts, text: "", error: error as Error };
  }
}

it("an answer that comes at once is read in pieces, between which others have their turn", async () => {
  const server = await startModelServer("openai");
  open.push(server);
  server.reply(() => ({ raw: "x".repeat(90_000) }));
  await using guarded = createGuardedFetch(loopback, 100_000);
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const { body } = await guarded.fetch(server.url, { method: "POST", body: '{"messages":[]}' });
  const pieces: [bytes: number, turn: number][] = [];
  for await (const { length } of body as unknown as AsyncIterable<Uint8Array>) pieces.push([length, turn]);
  isOver = true;
  expect(Math.max(...pieces.map(([bytes]) => bytes))).toBe(8_192);
  expect(new Set(pieces.map(([, at]) => at)).size).toBe(pieces.length);
});

describe.each(kinds)("a provider of the kind %s", (kind) => {
  it("streams a structured answer, and says what it cost", async () => {
    const { server, parts, text } = await askOnce(kind, { answer: '{"a":"a long enough answer for some pieces"}' });
    expect(JSON.parse(text)).toEqual({ a: "a long enough answer for some pieces" });
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.at(-1)).toEqual({ tokens: costOfAnswer.input + costOfAnswer.output });
    const [asked] = server.asked;
    expect(asked).toMatchObject({ system: "S", messages: [{ role: "user", text: "Q" }] });
    expect(asked?.json).toMatchObject({ model: "m-1", max_tokens: 500, stream: true });
    expect(asked?.headers[kind === "openai" ? "authorization" : "x-api-key"]).toContain("sk-secret-1");
    expect(JSON.stringify(asked?.json)).toContain('"additionalProperties":false');
  });

  it("streams a text", async () => {
    const { server, text } = await askOnce(kind, { answer: "It failed since the phone has no country code." }, { structured: false });
    expect(text).toBe("It failed since the phone has no country code.");
    expect(server.asked[0]?.body).not.toContain("additionalProperties");
  });

  it.each<[string, ModelReply, RegExp]>([
    ["refuses the key", { status: 401 }, /refuses the key \(HTTP 401\)/],
    ["does not know the model", { status: 404 }, /has no model m-1 at this address/],
    ["has had enough", { status: 429, headers: { "retry-after": "17" } }, /HTTP 429\): try again in 17 s/],
    ["has had enough and does not say for how long", { status: 429 }, /HTTP 429\): try again later/],
    ["is broken", { status: 503, text: "<html>" }, /has a problem \(HTTP 503\)/],
    ["refuses the question", { status: 400, text: '{"error":{"message":"bad sk-secret-1 \\u0007 format","type":"x"}}' }, /HTTP 400\)/],
    ["leads elsewhere", { status: 302, headers: { location: "http://127.0.0.1:1/" } }, /redirects to another address \(HTTP 302\)/],
    ["cuts the answer", { cut: '{"a":"half of' }, /the answer broke off|stopped too early/],
    ["stops at the limit", { answer: '{"a":"half', finish: "length" }, /longer than 500 tokens/],
    ["answers with a page", { raw: "<!doctype html><p>Hello</p>" }, /cannot be read|stopped too early/],
    ["answers with a broken stream", { raw: "data: {nonsense\n\n", type: "text/event-stream" }, /cannot be read|has a problem/],
    ["answers with too much", { answer: "x".repeat(150_000) }, /too large/],
  ])("that %s is told in a sentence", async (_, reply, sentence) => {
    const { error, server } = await askOnce(kind, reply);
    expect(error).toBeInstanceOf(SaidError);
    expect(error?.message).toMatch(sentence);
    expect(error?.message).not.toMatch(/sk-secret|\p{Cc}/u);
    expect(server.asked).toHaveLength(1);
  });

  it("is left when the question is broken off", async () => {
    const leave = new AbortController();
    const asking = askOnce(kind, "hang", { signal: leave.signal });
    await expect.poll(() => open[0]?.asked.length).toBe(1);
    leave.abort(new Error("left"));
    const { error, server } = await asking;
    expect(error?.message).toBe("left");
    await expect.poll(() => server.left).toBe(1);
  });

  it("is not dialled at an address inside, nor without TLS", async () => {
    const inside = await askOnce(kind, { answer: "{}" }, { allowed: null });
    expect([inside.error?.message, inside.server.asked]).toEqual([expect.stringMatching(/address is private/), []]);
    const elsewhere = new BlockList();
    elsewhere.addSubnet("10.0.0.0", 8);
    const named = await askOnce(kind, { answer: "{}" }, { allowed: elsewhere });
    expect([named.error instanceof SaidError, named.server.asked]).toEqual([true, []]);
  });
});

it("newer models of Anthropic are asked for the form itself, older ones by a tool", async () => {
  const newer = await askOnce("anthropic", { answer: '{"a":"b"}' }, { model: "claude-sonnet-4-5" });
  const older = await askOnce("anthropic", { answer: '{"a":"b"}' }, { model: "claude-3-5-haiku-latest" });
  expect([newer.text, older.text]).toEqual(['{"a":"b"}', '{"a":"b"}']);
  expect(newer.server.asked[0]?.json).not.toHaveProperty("tools");
  expect(older.server.asked[0]?.json).toHaveProperty("tools");
});

it.each([
  ["https://api.openai.com/v1", "max_completion_tokens"],
  ["https://models.example/v1", "max_tokens"],
])("%s is told the longest answer as %s", async (baseUrl, name) => {
  const bodies: string[] = [];
  const refusing = async (_: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(init?.body as string);
    return Promise.resolve(new Response("{}", { status: 401 }));
  };
  const settings = { provider: "openai" as const, baseUrl, model: "m-1", apiKey: null, outputTokens: 500 };
  const asking = ask(
    settings,
    { system: "S", messages: [{ role: "user", content: "Q" }], schema: null },
    { signal: new AbortController().signal, fetch: refusing },
  );
  await expect(asking.next()).rejects.toThrow("HTTP 401");
  const told = JSON.parse(bodies[0] ?? "") as object;
  expect(Object.keys(told).filter((key) => key.startsWith("max_"))).toEqual([name]);
});

it("a server that does not say what an answer cost", async () => {
  const { parts } = await askOnce("openai", { answer: "{}", silentOnUsage: true });
  expect(parts.at(-1)).toEqual({ tokens: null });
});
