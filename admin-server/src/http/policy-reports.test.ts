import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { policyReportsRoute } from "./policy-reports.ts";

const types = { old: "application/csp-report", new: "application/reports+json" };

describe("reports of the content security policy", () => {
  it("is logged in either form, without what a person looked for", async () => {
    await using server = await open();
    expect(await server.post(types.old, oldReport())).toBe(204);
    const body = {
      documentURL: "http://127.0.0.1/log?to=2",
      effectiveDirective: "img-src",
      blockedURL: "https://x.example/a?b",
      lineNumber: 3,
    };
    expect(
      await server.post(types.new, [
        { type: "csp-violation", body },
        { type: "deprecation", body: {} },
      ]),
    ).toBe(204);
    expect(server.lines).toMatchObject([
      { page: "/invite", directive: "script-src-elem", blocked: "inline", source: "", times: 1 },
      { page: "/log", directive: "img-src", blocked: "https://x.example/a", line: 3, times: 1 },
    ]);
  });

  it("a repeated one is counted: the first, the tenth and the hundredth are told, and the first of the next hour", async () => {
    await using server = await open();
    for (let minute = 0; minute < 12; minute += 1) {
      for (let nth = 0; nth < 9; nth += 1) await server.post(types.old, oldReport());
      server.pass(60_000);
    }
    expect(server.lines.map(({ times }) => times)).toEqual([1, 10, 100]);
    server.pass(3_600_000);
    await server.post(types.old, oldReport());
    expect(server.lines.map(({ times }) => times)).toEqual([1, 10, 100, 1]);
  });

  it("of one network ten a minute are read, of all a hundred, and no more than fifty kinds are told apart", async () => {
    await using server = await open({ trustProxy: true });
    const from = async (address: string, nth: number) =>
      server.post(types.old, oldReport({ "line-number": nth }), { "x-forwarded-for": address });
    for (let nth = 0; nth < 15; nth += 1) expect(await from(`2001:db8::${nth}`, nth)).toBe(204);
    expect(server.lines).toHaveLength(10);
    for (let nth = 0; nth < 120; nth += 1) expect(await from(`192.0.2.${nth}`, 100 + nth)).toBe(204);
    const others = server.lines.filter((line) => line["others"] === true);
    expect(server.lines.length - others.length).toBe(50);
    expect(others.map(({ times }) => times)).toEqual([1, 10]);
  });

  it.each([
    ["another type", "text/plain", oldReport(), 415],
    ["plain JSON", "application/json", oldReport(), 415],
    ["more than 8 KB", types.old, oldReport({ "blocked-uri": "x".repeat(9_000) }), 413],
    ["no JSON", types.old, "{", 204],
    ["deep JSON", types.new, "[".repeat(8_000), 204],
    ["another shape", types.new, [null, 1, { type: "csp-violation" }, { "csp-report": [] }], 204],
    ["an empty body", types.old, "", 204],
    ["a page of others", types.old, oldReport({ "document-uri": "https://evil.example/" }), 204],
    ["no page", types.old, oldReport({ "document-uri": "about:blank" }), 204],
  ])("%s is not logged", async (_, type, report, status) => {
    await using server = await open();
    expect(await server.post(type, report)).toBe(status);
    expect(server.lines).toEqual([]);
  });

  it("has no controls in the log, and no long texts", async () => {
    await using server = await open();
    await server.post(
      types.old,
      oldReport({ "effective-directive": `a\n\u001b[2J\u009b\u202e\u2028\ud800${"b".repeat(1_000)}`, "line-number": "\n" }),
    );
    const [line] = server.lines;
    expect(line?.["directive"]).toMatch(/^a\?\?\[2J\?\?\?\?b{180,}…$/u);
    expect(line).not.toHaveProperty("line");
  });
});

const oldReport = (changes: object = {}) => ({
  "csp-report": {
    "document-uri": "http://127.0.0.1/invite?secret#part",
    "effective-directive": "script-src-elem",
    "blocked-uri": "inline",
    ...changes,
  },
});

const config = { host: "127.0.0.1", publicAdminUrl: "https://admin.example", allowedHosts: [], trustProxy: false };

async function open(changes: { trustProxy?: boolean } = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  let now = Date.UTC(2026, 0, 1);
  const handle = new Koa().use(policyReportsRoute({ config: { ...config, ...changes }, log, clock: () => new Date(now) })).callback();
  const server = createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/policy-reports`;
  return {
    lines,
    pass: (ms: number) => void (now += ms),
    async post(type: string, report: unknown, headers: Record<string, string> = {}): Promise<number> {
      const body = typeof report === "string" ? report : JSON.stringify(report);
      const answer = await fetch(url, { method: "POST", headers: { "content-type": type, ...headers }, body });
      return answer.status;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
