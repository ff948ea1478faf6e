import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { type Edge, openEdge } from "../../../test/support/gateway.ts";
import { RequestRefused } from "../refusal.ts";

let edge: Edge;
let asked: { source: string; event: string }[] = [];

beforeAll(async () => {
  edge = await openEdge({
    handle: async (request) => {
      asked.push({ source: request.source, event: request.event });
      if (request.event === "boom") throw new Error("relation secrets does not exist at line 3");
      if (request.event === "limited") throw new RequestRefused("rate_limited");
      if (request.event === "away") throw Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
      await request.readBody();
      return { status: 200, body: '{"ok":true}', headers: { "X-Service-Idempotent-Replay": "true" }, eventId: "an-event" };
    },
  });
});
afterAll(async () => edge[Symbol.asyncDispose]());

const call = async (method: string, path: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; text: string }> => {
  const response = await fetch(edge.url + path, { ...init, method });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe("paths and methods", () => {
  it.each(data<string[]>("gateway-http-app", "answers to"))("answers 404 to %s", async (path) => {
    for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
      const answer = await call(method, path);
      expect([answer.status, answer.text]).toEqual([404, '{"error":"Not found"}']);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
  });

  it.each(data<[string, string[], string[]][]>("gateway-http-app", "answers 405 to a wrong method on s"))(
    "answers 405 to a wrong method on %s",
    async (path, methods, allowed) => {
      for (const method of methods) {
        const answer = await call(method, path);
        expect(answer.status).toBe(405);
        expect(answer.text).toBe(method === "HEAD" ? "" : '{"error":"Method not allowed"}');
        expect((answer.headers.get("allow") ?? "").split(", ").toSorted()).toEqual(allowed);
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      }
    },
  );

  it("leads to the documentation and to the dashboard: browsers at once, where it is known", async () => {
    const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, redirect: "manual" } as const;
    const plain = await call("GET", "/?q=1", browser);
    expect(JSON.parse(plain.text)).toEqual({ service: "tidings-gateway", dashboard: null, docs: "/api/public/docs/bundle" });
    expect(plain.headers.get("vary")).toBe("Accept");

    await using known = await openEdge({ publicAdminUrl: "https://admin.example" });
    expect(await (await fetch(known.url)).json()).toMatchObject({ dashboard: "https://admin.example" });
    const led = await fetch(known.url, browser);
    expect([led.status, led.headers.get("location"), led.headers.get("vary")]).toEqual([302, "https://admin.example/", "Accept"]);
  });

  it.each(["/api/public/ingest/%E0%A4%A/b", "/api/public/ingest/a/%", "/api/public/ingest/a/%ff"])("answers 400 to %s", async (path) => {
    const answer = await call("POST", path, { body: "{}" });
    expect([answer.status, answer.text]).toEqual([400, '{"error":"Bad request"}']);
  });
});

describe("the preflight", () => {
  it("allows the documented headers and methods to everybody", async () => {
    const answer = await call("OPTIONS", "/api/public/ingest/generic/order.created", {
      headers: { Origin: "https://example.com", "Access-Control-Request-Method": "POST" },
    });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    expect(answer.headers.get("access-control-allow-headers")).toBe(
      "Content-Type, X-Service-Site-Key, X-Service-Signature, X-Service-Timestamp, X-Service-Idempotency-Key, X-Service-Mode, Prefer, webhook-id, webhook-timestamp, webhook-signature",
    );
  });
});

describe("errors", () => {
  it("says nothing of an unexpected one, but logs it", async () => {
    const answer = await call("POST", "/api/public/ingest/a/boom", { body: "{}" });
    expect(answer.status).toBe(500);
    expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(["error"]);
    expect(answer.text).not.toContain("secrets");
    expect(edge.lines.find((line) => line["msg"] === "unexpected error")).toMatchObject({
      err: { message: "relation secrets does not exist at line 3" },
    });
  });

  it("gives a refusal that passes by itself a whole number of seconds", async () => {
    const answer = await call("POST", "/api/public/ingest/a/limited", { body: "{}" });
    expect([answer.status, answer.text, answer.headers.get("retry-after")]).toEqual([429, '{"error":"Rate limit exceeded"}', "1"]);
  });

  it("answers 503 when the database is away", async () => {
    const answer = await call("POST", "/api/public/ingest/a/away", { body: "{}" });
    expect([answer.status, answer.text]).toEqual([503, '{"error":"Database unavailable"}']);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("the access log", () => {
  it("has one line a request, without query and headers", async () => {
    edge.lines.length = 0;
    await call("POST", "/api/public/ingest/a/b?token=hidden", { body: "{}", headers: { "X-Service-Site-Key": "sk_live_hidden" } });
    const lines = edge.lines.filter((line) => line["msg"] === "request");
    expect(lines).toEqual([expect.objectContaining(data("gateway-http-app", "has one line a request, without query and headers"))]);
    expect(typeof lines[0]?.["ms"]).toBe("number");
    expect(JSON.stringify(lines)).not.toContain("hidden");
  });

  it.each(["", "/more"])("hides who an inbound address is of", async (rest) => {
    edge.lines.length = 0;
    await call("POST", `/api/public/in/${"hidden".repeat(6)}${rest}?hidden`, { body: "{}" });
    expect(edge.lines.find((line) => line["msg"] === "request")).toMatchObject({ path: `/api/public/in/…${rest}` });
    expect(JSON.stringify(edge.lines)).not.toContain("hidden");
  });

  it("names why a request was refused", async () => {
    edge.lines.length = 0;
    await call("GET", "/nowhere");
    expect(edge.lines.find((line) => line["msg"] === "request")).toMatchObject({ status: 404, refusal: "not_found" });
  });
});
