import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { answeringServer } from "../../../test/support/cloud-api/answering-server.ts";
import { createPlatformClient, type PlatformCall } from "./client.ts";

const call: PlatformCall = { method: "POST", path: "/v25.0/1/messages", accessToken: "EAAtoken", body: { a: "ü😀" } };

test("a call carries token, query and JSON, below whatever path the base URL has", async () => {
  await using server = await answeringServer(() => ({ json: { ok: true } }));
  await using client = createPlatformClient({ baseUrl: `${server.url}/graph/` });
  const query = { fields: "id,name", input_token: "a|b&c=d" };
  expect(await client.call({ ...call, query })).toEqual({ kind: "answered", status: 200, json: { ok: true } });
  const [seen] = server.seen;
  expect(seen).toMatchObject({ method: "POST", path: "/graph/v25.0/1/messages", authorization: "Bearer EAAtoken", body: { a: "ü😀" } });
  expect(Object.fromEntries(seen?.query ?? [])).toEqual(query);
});

test("calls one after the other share connections", async () => {
  await using server = await answeringServer(() => ({}));
  await using client = createPlatformClient({ baseUrl: server.url });
  for (let i = 0; i < 20; i++) await client.call(call);
  // A second one may open while the first is being given back.
  expect(server.connections).toBeLessThanOrEqual(2);
});

test("2,000 calls are under way at once", { timeout: 120_000 }, async () => {
  let release = () => {};
  const all = new Promise<void>((resolve) => (release = resolve));
  await using server = await answeringServer(async (_, index) => {
    if (index === 1_999) release();
    await all;
    return { json: { index } };
  });
  await using client = createPlatformClient({ baseUrl: server.url, timeoutMs: 110_000 });
  const answers = await Promise.all(Array.from({ length: 2_000 }, () => client.call(call)));
  expect(answers.filter((answer) => answer.kind === "answered")).toHaveLength(2_000);
  expect(server.connections).toBe(2_000);
});

test.each([
  ["an object", '{"a":1}', { a: 1 }],
  ["HTML", "<html></html>", undefined],
  ["nothing", "", undefined],
  ["half an object", '{"a":', undefined],
  ["a bare text", '"busy"', undefined],
  ["null", "null", undefined],
])("an answer that is %s", async (_, text, json) => {
  await using server = await answeringServer(() => ({ text }));
  await using client = createPlatformClient({ baseUrl: server.url });
  expect(await client.call(call)).toEqual({ kind: "answered", status: 200, json });
});

test("the time limit is the client's own, or what is left until the call is cut off", async () => {
  await using server = await answeringServer(() => "hang");
  await using slow = createPlatformClient({ baseUrl: server.url, timeoutMs: 60_000 });
  await using quick = createPlatformClient({ baseUrl: server.url, timeoutMs: 1_000 });
  expect(await quick.call(call)).toEqual({ kind: "lost", reason: "no answer within 1 s" });
  expect(await slow.call({ ...call, cutAt: performance.now() + 1_000 })).toMatchObject({ kind: "lost" });
  expect(await slow.call({ ...call, cutAt: performance.now() - 1 })).toMatchObject({ kind: "not_sent" });
  expect(server.seen).toHaveLength(2);
});

test("a token that no header can carry reaches the platform as one that it refuses", async () => {
  await using server = await answeringServer(() => ({}));
  await using client = createPlatformClient({ baseUrl: server.url });
  await client.call({ ...call, accessToken: "to\r\nken ü" });
  expect(server.seen[0]?.authorization).toBe("Bearer to??ken??");
});
