import { createReadiness } from "shared/db/readiness";
import type { Sql } from "shared/db/statement";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Edge, openEdge } from "../../../test/support/gateway.ts";

/** A database that counts the questions and answers each as the test says. */
const database = (answer: () => Promise<unknown>): { sql: Sql; asked: () => number } => {
  let count = 0;
  const sql = (async () => {
    count += 1;
    return answer();
  }) as unknown as Sql;
  return { sql, asked: () => count };
};

describe("readiness", () => {
  it("asks the database once, however many want to know", async () => {
    const { sql, asked } = database(async () => []);
    const readiness = createReadiness(sql, 1_000);
    const answers = await Promise.all(Array.from({ length: 100 }, async () => readiness.database()));
    answers.push(await readiness.database());
    expect(new Set(answers)).toEqual(new Set(["ok"]));
    expect(asked()).toBe(1);
  });

  it("takes an error for a no, and remembers it as well", async () => {
    const { sql, asked } = database(async () => Promise.reject(new Error("away")));
    const readiness = createReadiness(sql, 1_000);
    expect([await readiness.database(), await readiness.database(), asked()]).toEqual(["away", "away", 1]);
  });

  it("takes silence for a no within the limit, and does not pile up questions", async () => {
    const { sql, asked } = database(async () => new Promise(() => undefined));
    const readiness = createReadiness(sql, 10);
    expect([await readiness.database(), await readiness.database(), asked()]).toEqual(["away", "away", 1]);
  });
});

it("says once that the disk is full, whether a statement or the check finds it, and when it has room", async () => {
  let refusal: object | null = null;
  const { sql } = database(async () => refusal && Promise.reject(Object.assign(new Error("no space"), refusal)));
  const told: string[] = [];
  vi.useFakeTimers({ toFake: ["performance"] });
  const readiness = createReadiness(sql, 1_000, (level, text) => void told.push(`${level}: ${text}`));
  const states = [await readiness.database()];
  for (const next of [{ code: "53100" }, { code: "53100" }, null]) {
    if (refusal === null && next !== null) readiness.failed(next.code);
    refusal = next;
    states.push(await readiness.database());
    vi.advanceTimersByTime(1_500);
  }
  states.push(await readiness.database());
  vi.useRealTimers();
  expect(states).toEqual(["ok", "full", "full", "ok", "ok"]);
  expect(told).toEqual([
    expect.stringMatching(/^warn: the database's disk is full: .* delete what is not needed there, or enlarge it$/),
    "info: the database's disk has room again",
  ]);
});

describe("health and ready", () => {
  let edge: Edge;
  afterEach(async () => edge[Symbol.asyncDispose]());

  it("are 200 while the database answers", async () => {
    edge = await openEdge();
    const health = await fetch(`${edge.url}/api/public/health`);
    expect([health.status, await health.json()]).toEqual([
      200,
      {
        status: "ok",
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
        uptimeSeconds: expect.any(Number) as unknown,
        database: "ok",
        stopping: false,
      },
    ]);
    expect((await fetch(`${edge.url}/api/public/ready`)).status).toBe(200);
    const head = await fetch(`${edge.url}/api/public/health`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it("tell a missing database: degraded but alive, and not ready", async () => {
    edge = await openEdge({ database: async () => "away" });
    const health = await fetch(`${edge.url}/api/public/health`);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: "degraded", database: "away" })]);
    const ready = await fetch(`${edge.url}/api/public/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { error: "Database unavailable" }]);
    expect(Number(ready.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("the client's address in the log", () => {
  let edge: Edge;
  afterEach(async () => edge[Symbol.asyncDispose]());
  const headers = { "X-Forwarded-For": "6.6.6.6, 203.0.113.7" };

  it("is the connection's own unless a proxy is trusted", async () => {
    edge = await openEdge();
    await fetch(`${edge.url}/api/public/health`, { headers });
    expect(edge.lines.find((line) => line["msg"] === "request")).toMatchObject({ from: "127.0.0.1" });
  });

  it("is the last that the trusted proxy has added", async () => {
    edge = await openEdge({ trustProxy: true });
    await fetch(`${edge.url}/api/public/health`, { headers });
    expect(edge.lines.find((line) => line["msg"] === "request")).toMatchObject({ from: "203.0.113.7" });
  });
});
