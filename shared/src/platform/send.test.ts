import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { answeringServer, rawServer, type Reply } from "../../../test/support/platform.ts";
import type { MessageComponent } from "../core/template/definition.ts";
import { createPlatformClient } from "./client.ts";
import { sendTemplate, type Pace } from "./send.ts";

const credentials = { apiVersion: "v25.0", wabaId: "102", phoneNumberId: "106", accessToken: "EAAtoken" };
const components: MessageComponent[] = [
  { type: "body", parameters: [{ type: "text", text: "Ada" }] },
  { type: "button", sub_type: "url", index: "1", parameters: [{ type: "text", text: "42" }] },
];
const message = {
  to: "+491701234567",
  template: "order_shipped",
  language: "de",
  components: JSON.stringify(components),
  reference: "t1:a:b:1",
};
const accepted = { json: { messaging_product: "whatsapp", messages: [{ id: "wamid.1", message_status: "accepted" }] } };
const refused = (code: number, status = 400, more = {}): Reply => ({
  status,
  json: { error: { message: `(#${code}) No`, code, ...more } },
});

/** Sleeping takes no real time but advances the clock. */
function fastPace() {
  const sleeps: number[] = [];
  let ahead = 0;
  const pace: Pace = {
    now: () => performance.now() + ahead,
    random: () => 0,
    sleep: async (ms) => {
      sleeps.push(ms);
      ahead += ms;
    },
  };
  return { pace, sleeps };
}

/** Sends to a platform that gives these replies in turn and repeats the last one. */
async function send(replies: Reply[], options: { seconds?: number; timeoutMs?: number; message?: Partial<typeof message> } = {}) {
  await using server = await answeringServer((_, index) => replies[Math.min(index, replies.length - 1)] ?? {});
  await using client = createPlatformClient({ baseUrl: server.url, timeoutMs: options.timeoutMs ?? 5_000 });
  const { pace, sleeps } = fastPace();
  const deadline = performance.now() + 1_000 * (options.seconds ?? 14);
  const result = await sendTemplate(client, credentials, { ...message, ...options.message }, { deadline, pace });
  return { result, seen: server.seen, sleeps };
}

test("the request is what the platform documents", async () => {
  const { result, seen } = await send([accepted]);
  expect(result).toEqual({ kind: "accepted", waMessageId: "wamid.1" });
  expect(seen).toMatchObject([{ method: "POST", path: "/v25.0/106/messages", authorization: "Bearer EAAtoken" }]);
  expect(seen[0]?.body).toEqual({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "+491701234567",
    type: "template",
    biz_opaque_callback_data: "t1:a:b:1",
    template: { name: "order_shipped", language: { code: "de" }, components },
  });
});

test("a template without variables is sent without components", async () => {
  const { seen } = await send([accepted], { message: { components: "[]" } });
  expect(seen[0]?.body).toHaveProperty("template", { name: "order_shipped", language: { code: "de" } });
});

test("a refusal carries code, words, details, class and the whole error", async () => {
  const error = {
    message: "(#132000) Number of parameters does not match the expected number of params",
    type: "OAuthException",
    code: 132000,
    error_data: {
      messaging_product: "whatsapp",
      details: "body: number of localizable_params (2) does not match the expected number of params (1)",
    },
    fbtrace_id: "AbC",
  };
  const { result, seen } = await send([{ status: 400, json: { error } }]);
  expect(result).toEqual({
    kind: "refused",
    code: "132000",
    reason: `${error.message}: ${error.error_data.details}`,
    class: "permanent",
    resendHint: null,
    detail: error,
  });
  expect(seen).toHaveLength(1);
});

test.each(data<[string, number, object, object][]>("platform-send", "a refusal with"))(
  "a refusal with %s",
  async (_, status, json, expected) => {
    const { result, seen } = await send([{ status, json }]);
    expect(result).toMatchObject({ kind: "refused", ...expected });
    expect(seen).toHaveLength(1);
  },
);

test("a refusal that is no JSON counts by its status", async () => {
  expect((await send([{ status: 404, text: "<html>" }])).result).toMatchObject(
    data<object>("platform-send", "a refusal that is no JSON counts by its status"),
  );
});

test.each(data<[string, { status: number }][]>("platform-send", "a success is unexpected and"))(
  "a success %s is unexpected, and not tried again",
  async (_, reply) => {
    const { result, seen } = await send([reply]);
    expect(result).toEqual({ kind: "unexpected_answer", reason: expect.stringContaining(`HTTP ${reply.status}`) });
    expect(seen).toHaveLength(1);
  },
);

test("a success that holds an error instead tells the platform's words", async () => {
  const { result } = await send([refused(131000, 200)]);
  expect(result).toEqual({ kind: "unexpected_answer", reason: expect.stringContaining("(#131000) No") });
});

test.each([
  ["HTML from an edge", { status: 502, text: "<html>Bad Gateway</html>" }],
  ["nothing from an edge", { status: 504, text: "" }],
  ["silence", "hang" as const],
])("%s is in doubt, and not tried again", async (_, reply) => {
  const { result, seen } = await send([reply], { timeoutMs: 1_000 });
  expect(result).toEqual({ kind: "in_doubt", reason: expect.stringMatching(/may have taken/) });
  expect(seen).toHaveLength(1);
});

test("a connection that breaks after the request is in doubt, and not tried again", async () => {
  await using server = await rawServer((socket) =>
    socket.on("data", (bytes) => bytes.includes("order_shipped") && socket.resetAndDestroy()),
  );
  await using client = createPlatformClient({ baseUrl: `http://127.0.0.1:${server.port}` });
  const result = await sendTemplate(client, credentials, message, { deadline: performance.now() + 14_000 });
  expect(result).toMatchObject({ kind: "in_doubt" });
  expect(server.received).toHaveLength(1);
});

test.each([
  [refused(131000, 500)],
  [refused(2, 503)],
  [refused(130429)],
  [refused(4, 429)],
  [refused(131056)],
  [refused(987654, 500)],
  [refused(987654, 400, { is_transient: true })],
  [{ status: 503, json: {} }],
  [{ status: 429, text: "slow down" }],
])("%j is tried again", async (reply) => {
  const { result, seen, sleeps } = await send([reply, reply, accepted]);
  expect(result).toEqual({ kind: "accepted", waMessageId: "wamid.1" });
  expect(seen).toHaveLength(3);
  expect(sleeps).toHaveLength(2);
});

test("after five refusals the platform's own word stands", async () => {
  const { result, seen } = await send([refused(131000, 500)]);
  expect(result).toMatchObject({ kind: "refused", code: "131000", class: "transient" });
  expect(seen).toHaveLength(5);
});

test("a refusal that would pass ends as itself when time is up", async () => {
  const { result, seen } = await send([refused(131016, 500)], { seconds: 2 });
  expect(result).toMatchObject({ kind: "refused", code: "131016", reason: "(#131016) No", class: "transient" });
  expect(seen.length).toBeLessThan(5);
});

test("a pair limit waits 4^n seconds, as long as that fits", async () => {
  const { result, sleeps } = await send([refused(131056)], { seconds: 14 });
  expect(sleeps).toEqual([1_000, 4_000]);
  expect(result).toMatchObject({ kind: "refused", code: "131056" });
  expect((await send([refused(131056)], { seconds: 1.5 })).sleeps).toEqual([]);
});

test("a doubt after a refusal is a doubt", async () => {
  const { result } = await send([refused(131000, 500), { status: 502, text: "<html>" }]);
  expect(result).toMatchObject({ kind: "in_doubt" });
});

test("a platform that cannot be reached is tried until the deadline, which then tells why", async () => {
  await using client = createPlatformClient({ baseUrl: "http://127.0.0.1:1" });
  const { pace, sleeps } = fastPace();
  const result = await sendTemplate(client, credentials, message, { deadline: performance.now() + 14_000, pace });
  expect(result).toEqual({
    kind: "deadline",
    reason: "The message could not be handed to the platform in time",
    lastError: expect.stringContaining("ECONNREFUSED"),
  });
  expect(sleeps.length).toBeGreaterThan(5);
});

test("a platform that comes back is used", async () => {
  await using server = await answeringServer(() => accepted);
  await using client = createPlatformClient({ baseUrl: server.url });
  await using dead = createPlatformClient({ baseUrl: "http://127.0.0.1:1" });
  let calls = 0;
  const flaky = { ...client, call: (...args: Parameters<typeof client.call>) => (calls++ < 2 ? dead : client).call(...args) };
  const { pace } = fastPace();
  expect(await sendTemplate(flaky, credentials, message, { deadline: performance.now() + 14_000, pace })).toMatchObject({
    kind: "accepted",
  });
});

test("nothing is sent after the deadline or after the last start", async () => {
  await using server = await answeringServer(() => accepted);
  await using client = createPlatformClient({ baseUrl: server.url });
  const now = performance.now();
  for (const options of [{ deadline: now - 1 }, { deadline: now + 9_000, startBy: now - 1 }])
    expect(await sendTemplate(client, credentials, message, options)).toMatchObject({ kind: "deadline", lastError: undefined });
  expect(server.seen).toEqual([]);
});

test("the deadline cuts off what is under way", async () => {
  await using server = await answeringServer(() => "hang");
  await using client = createPlatformClient({ baseUrl: server.url, timeoutMs: 60_000 });
  expect(await sendTemplate(client, credentials, message, { deadline: performance.now() + 1_000 })).toMatchObject({ kind: "in_doubt" });
});
