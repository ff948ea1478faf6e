import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, test, describe } from "vitest";
import { answeringServer } from "../../../test/support/platform.ts";
import { CallsUsedUp, considerateClient, createManagementClient, pauseFor, readUsage } from "./management-client.ts";

describe("management client", () => {
  const call = { method: "GET", path: "/v25.0/1/message_templates", accessToken: "EAAtoken" } as const;

  /** A server that answers with `text` and headers and records its requests. */
  async function rawServer(text: string, headers: Record<string, string> = {}) {
    const seen: { url: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        seen.push({ url: request.url ?? "", headers: request.headers, body });
        response.writeHead(200, headers).end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, seen, [Symbol.asyncDispose]: async () => void server.close() };
  }

  test("a call carries token, query and JSON, below whatever path the base URL has", async () => {
    await using server = await answeringServer(() => ({ json: { ok: true } }));
    await using client = createManagementClient({ baseUrl: `${server.url}/graph/` });
    const body = { name: "ü😀" };
    expect(await client.call({ ...call, method: "POST", query: { fields: "id,name" }, body })).toEqual({
      kind: "answered",
      status: 200,
      json: { ok: true },
    });
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      path: "/graph/v25.0/1/message_templates",
      authorization: "Bearer EAAtoken",
      body,
    });
    expect(server.seen[0]?.query.get("fields")).toBe("id,name");
  });

  test("a file goes out in its pieces, with its length", async () => {
    await using server = await rawServer('{"h":"4::x"}');
    await using client = createManagementClient({ baseUrl: server.url });
    const headers = { authorization: "OAuth t", file_offset: "0" };
    const body = [Buffer.from("ab"), Buffer.from("c")];
    expect(await client.upload({ path: "/v25.0/upload:x?sig=y", headers, body })).toMatchObject({ json: { h: "4::x" } });
    expect(server.seen[0]).toMatchObject({ url: "/v25.0/upload:x?sig=y", headers: { ...headers, "content-length": "3" } });
    expect(server.seen[0]?.body.toString()).toBe("abc");
  });

  test("answers may be several megabytes, as a page of templates is", async () => {
    const text = JSON.stringify({ data: ["x".repeat(5_000_000)] });
    await using server = await rawServer(text);
    await using client = createManagementClient({ baseUrl: server.url });
    expect(await client.call(call)).toMatchObject({ kind: "answered", status: 200, json: { data: [expect.any(String)] } });
  });

  test("who is not there got nothing, who does not answer may have", async () => {
    await using gone = createManagementClient({ baseUrl: "http://127.0.0.1:9" });
    expect(await gone.call(call)).toMatchObject({ kind: "not_sent" });
    await using server = await answeringServer(() => "hang");
    await using client = createManagementClient({ baseUrl: server.url, timeoutMs: 500 });
    expect(await client.call(call)).toEqual({ kind: "lost", reason: "no answer within 0.5 s" });
    // Timers take whole milliseconds only.
    const cut = await client.call({ ...call, cutAt: Math.ceil(performance.now()) + 200.5 });
    expect(cut).toMatchObject({ kind: "lost", reason: expect.stringMatching(/^no answer within 0\.\d+ s$/u) });
    const stop = new AbortController();
    stop.abort();
    expect(await client.call({ ...call, signal: stop.signal })).toEqual({ kind: "not_sent", reason: "the call was stopped" });
  });

  test("what the platform says of its calls is remembered, and work that nobody waits for leaves the last of them alone", async () => {
    const usage = { "1001": [{ call_count: 96, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 3 }] };
    await using server = await rawServer("{}", { "x-business-use-case-usage": JSON.stringify(usage) });
    await using client = createManagementClient({ baseUrl: server.url });
    const limits = { cutAt: Infinity, signal: new AbortController().signal };
    expect(client.usage("1001")).toBeNull();
    await considerateClient(client, "1001", limits).call(call);
    expect(client.usage("1001")).toEqual({ percent: 96, regainMs: 180_000 });
    const refused = considerateClient(client, "1001", limits).call(call);
    await expect(refused).rejects.toThrow(CallsUsedUp);
    await expect(refused).rejects.toMatchObject({ regainMs: 180_000, message: expect.stringContaining("96 %") });
    await considerateClient(client, "1002", limits).call(call);
    await client.call(call);
    expect(server.seen).toHaveLength(3);
  });
});

describe("usage", () => {
  const header = (value: unknown) => ({ "x-business-use-case-usage": typeof value === "string" ? value : JSON.stringify(value) });
  const counts = (more: object) => ({ call_count: 12, total_cputime: 3, total_time: 4, estimated_time_to_regain_access: 0, ...more });

  test("of several counts and kinds the worst is told, by business account", () => {
    const usage = readUsage(
      header({ "1001": [counts({}), counts({ total_time: 93 })], "1002": [counts({ estimated_time_to_regain_access: 7 })] }),
    );
    expect(Object.fromEntries(usage)).toEqual({ "1001": { percent: 93, regainMs: 0 }, "1002": { percent: 12, regainMs: 420_000 } });
  });

  test.each([
    ["no header", {}],
    ["no JSON", header("{")],
    ["null", header("null")],
    ["a list", header([])],
  ])("%s says nothing", (_, headers) => {
    expect(readUsage(headers).size).toBe(0);
  });

  test("counts of another shape are none", () => {
    expect(readUsage(header({ "1": "much", "2": [{ call_count: "96" }], "3": [null] })).get("2")).toEqual({ percent: 0, regainMs: 0 });
  });

  test("calls slow down from 80 % on and stop before the last", () => {
    const pause = (percent: number, regainMs = 0) => pauseFor({ percent, regainMs });
    expect([pauseFor(null), pause(0), pause(79)]).toEqual([0, 0, 0]);
    expect(pause(80)).toBeGreaterThan(0);
    expect(pause(94)).toBeGreaterThan(pause(80));
    expect([pause(95), pause(100), pause(10, 60_000)]).toEqual([Infinity, Infinity, Infinity]);
  });
});
