import { afterEach, describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { type Edge, type EdgeOptions, okAnswer, openEdge } from "../../../test/support/gateway.ts";
import { type RawSocket, rawSocket } from "../../../test/support/requests.ts";
import { gate } from "../../../test/support/wait-for.ts";

let edge: Edge;
const open = async (options: EdgeOptions = {}): Promise<RawSocket> => {
  edge = await openEdge(options);
  return rawSocket(edge.port);
};
afterEach(async () => edge[Symbol.asyncDispose]());

const badRequest = { status: 400, body: '{"error":"Bad request"}', headers: { "access-control-allow-origin": "*", connection: "close" } };
const post = "POST /api/public/ingest/a/b HTTP/1.1\r\nHost: x\r\n";
const health = "GET /api/public/health HTTP/1.1\r\nHost: x\r\n\r\n";

describe("what is no request", () => {
  it.each(data<[string, string][]>("gateway-http-connection", "is answered 400 in JSON:"))(
    "is answered 400 in JSON: %s",
    async (_name, text) => {
      const client = await open();
      client.send(text);
      const answer = await client.answer();
      expect({ ...answer, headers: { ...answer.headers, connection: answer.headers["connection"] ?? "" } }).toMatchObject({
        ...badRequest,
        headers: { "access-control-allow-origin": "*" },
      });
      expect(edge.bodies).toEqual([]);
    },
  );

  it("headers that are too large: 431", async () => {
    const client = await open();
    client.send(`${post}X-A: ${"a".repeat(20_000)}\r\n\r\n`);
    expect(await client.answer()).toMatchObject({ ...badRequest, status: 431, body: '{"error":"Headers too large"}' });
    await client.closed();
  });

  it("a path that is too large: 431", async () => {
    const client = await open();
    client.send(`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await client.answer()).toMatchObject({ status: 431 });
  });

  it("headers that never end: 408", async () => {
    const client = await open({ timeLimits: { headersMs: 50 } });
    client.send("POST /api/public/ingest/a/b HTTP/1.1\r\nHos");
    expect(await client.answer()).toMatchObject({ ...badRequest, status: 408, body: '{"error":"Request timeout"}' });
    await client.closed();
  });

  it("a connection on which nothing comes is closed without a word", async () => {
    const client = await open({ timeLimits: { headersMs: 50 } });
    await client.closed();
    await expect(client.answer()).rejects.toThrow('ended after ""');
  });

  it.each(data<[string, number][]>("gateway-http-connection", "a target with a host of its own, :"))(
    "a target with a host of its own, %s: %i",
    async (target, status) => {
      const client = await open();
      client.send(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const answer = await client.answer();
      expect(answer).toMatchObject({ status, headers: { "access-control-allow-origin": "*" } });
      expect(Object.keys(JSON.parse(answer.body) as object)[0]).toBe(status === 200 ? "status" : "error");
    },
  );

  it.each(data<[string, string, number][]>("gateway-http-connection", "where the public url is"))(
    "where the public URL is set, under the name %s %s is answered %i",
    async (host, path, status) => {
      const client = await open({ ownHosts: ["gateway.example:8443", "gateway.internal"] });
      client.send(`GET /api/public${path} HTTP/1.1\r\nHost: gateway.internal\r\n\r\n`);
      await client.answer();
      client.send(`GET /api/public${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const answer = await client.answer();
      expect(answer).toMatchObject({ status, headers: { "access-control-allow-origin": "*" } });
      expect(answer.body === '{"error":"Misdirected request"}').toBe(status === 421);
    },
  );
});

describe("several requests on one connection", () => {
  it("of which a later one is broken: the earlier are still answered, the broken one after them", async () => {
    const arrived = gate();
    const client = await open({ handle: () => arrived.opened.then(() => okAnswer) });
    client.send(`${post}Content-Length: 0\r\n\r\nthis is no request\r\n\r\n`);
    client.send(health);
    // The parser has failed by the time that another connection is served.
    expect((await fetch(`${edge.url}/api/public/health`)).status).toBe(200);
    arrived.open();
    expect(await client.answer()).toMatchObject({ status: 200, body: '{"ok":true}' });
    expect(await client.answer()).toMatchObject(badRequest);
    await client.closed();
  });
});

it.each(data<[string, string[]][]>("gateway-http-connection", "a target's fragment is no part of its path s"))(
  "a target's fragment is no part of its path: %s",
  async (path, values) => {
    const seen: string[][] = [];
    const client = await open({ handle: async (request) => (seen.push([request.source, request.event]), okAnswer) });
    client.send(`POST /api/public/ingest/${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    expect(await client.answer()).toMatchObject({ status: 200 });
    expect(seen).toEqual([values]);
  },
);

describe("stopping", () => {
  it("answers what is in flight, refuses what comes after on the same connection, and closes it", async () => {
    const [handed, inside] = [gate(), gate()];
    const client = await open({ handle: () => (inside.open(), handed.opened.then(() => okAnswer)) });
    const unused = await rawSocket(edge.port);
    client.send(`${post}Content-Length: 0\r\n\r\n`);
    await inside.opened;
    edge.readiness.stopping = true;
    client.send(`${post}Content-Length: 0\r\n\r\n`);
    const stopped = edge[Symbol.asyncDispose]();
    await expect(fetch(`${edge.url}/api/public/health`)).rejects.toThrow("fetch failed");
    handed.open();
    expect(await client.answer()).toMatchObject({ status: 200, headers: { connection: "close" } });
    await stopped;
    await client.closed();
    await unused.closed();
  });

  it("refuses with 503 and a time to come back", async () => {
    const client = await open();
    edge.readiness.stopping = true;
    for (const [request, body] of [
      [`${post}Content-Length: 0\r\n\r\n`, '{"error":"Server is stopping"}'],
      ["GET /api/public/ready HTTP/1.1\r\nHost: x\r\n\r\n", '{"error":"Server is stopping"}'],
    ]) {
      const next = await rawSocket(edge.port);
      next.send(request ?? "");
      const answer = await next.answer();
      expect(answer).toMatchObject({ status: 503, body, headers: { connection: "close" } });
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    }
    client.send(health);
    expect(JSON.parse((await client.answer()).body)).toMatchObject({ status: "degraded", stopping: true });
  });
});
