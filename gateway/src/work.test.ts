import type { AnswerRow } from "shared/db/event/answer";
import type { PlatformCall } from "shared/platform/client";
import { signBody } from "shared/secrets/signature";
import { makeSiteKey } from "shared/secrets/site-key";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "./context.ts";
import { RequestRefused } from "./refusal.ts";
import { defaultTimeLimits } from "./time-limits.ts";
import { startWork, type Work } from "./work.ts";

const siteId = "0199a1b2-1234-7abc-8def-0123456789ab";
const { key, hash } = makeSiteKey(siteId);
const body = Buffer.from('{"customer":{"phone_e164":"+15551230001"}}');
const definition = { parameterFormat: "POSITIONAL", header: null, body: "Hello.", footer: null, buttons: [], examples: {} };
const template = { id: "template", name: "order_created", language: "en_US", status: "approved", category: "UTILITY", definition };
const binding = { id: "binding", event: "order.created", recipient: { strategy: "customer" }, variable_map: {}, template };
const toAll = { ...binding, recipient: { strategy: "site_recipients" } };
const paused = { ...toAll, template: { ...template, status: "paused" } };
const phones = (n: number) => Array.from({ length: n }, (_, i) => `+1555600${String(i).padStart(4, "0")}`);
const identity = { id: siteId, accountId: "account", config: "1", timezone: "UTC" };
const settings = {
  mode: "live",
  enabled: true,
  requireTimestamp: false,
  rateLimitPerSecond: null,
  holdMessages: false,
  messagesPerSecond: null,
  testPhone: null,
  hasOptOuts: false,
  encryptPayloads: false,
  dataKey: null,
};
const siteRow = {
  ...identity,
  ...settings,
  keys: [{ id: "key id", key_hash: hash.toString("hex"), expires_at: null }],
  secrets: [{ id: "secret id", kind: "webhook_secret", secret: "secret", expires_at: null }],
  platform: {
    waba_id: "1",
    phone_number_id: "2",
    api_version: "v25.0",
    access_token: "TOKEN",
    stopped_code: null,
    probe_in: 0,
    stop_waits: false,
    limited_probe_in: null,
    marketing_route: "messages",
  },
  activePhones: phones(25),
  bindings: [binding],
  cancelRules: [],
  inbound: { token: "token", sourceType: "generic", url: "", topicMap: {}, isConnected: true, isPinged: true },
};
const progress = {
  bindings_run: 1,
  recipients_sent: 1,
  recipients_failed: 0,
  recipients_scheduled: 0,
  chat: "sent",
  body: null,
  lapsed: false,
  in_doubt: false,
  same: true,
  sealed_payload: null,
};
const original: AnswerRow = { ...progress, event_id: "original", site_id: siteId, name: "order.created", order_id: null };

/** The text by which each statement is recognized; the first that fits counts. */
const marks = {
  site: "from site s join account",
  answer: "from idempotency",
  use: "update site_secret",
  sweep: "with lapsed as",
  seek: "with sought as",
  replays: "set replays",
  claim: "insert into event_payload",
  settle: "with still_ours as",
};
type Statement = keyof typeof marks;
const never = async () => new Promise<never>(() => undefined);

let site: object;
let asked: Statement[];
/** The ids of the events that were claimed, statement by statement. */
let claims: string[][];
let answers: Partial<Record<Statement, (ids: string[]) => Promise<unknown[]>>>;
let work: Work;
let call: (call: PlatformCall) => Promise<unknown>;
let calls: number;

const ask = async (text: string, ids: string[]): Promise<unknown[]> => {
  const name = (Object.keys(marks) as Statement[]).find((one) => text.includes(marks[one]));
  if (!name) return [];
  asked.push(name);
  if (name === "claim") claims.push(ids);
  // A claim's last row tells that the gateway has its lease; no other statement asks for it.
  const all = (rows: unknown[]) => (name === "claim" ? [...rows, { id: "gateway", claimed: true }] : rows);
  return all((await answers[name]?.(ids)) ?? ids.map((id) => ({ id, claimed: true })));
};
const sql = async (strings: TemplateStringsArray) => {
  const text = strings.join("?");
  return text.includes(marks.site) ? (asked.push("site"), [site]) : ask(text, []);
};
/** A claim's rows begin with the event's id; a settlement lists the ids. */
const unsafe = async (text: string, [rows, ids]: [unknown, string[]]) => {
  const firstCells = String(rows).split("\u001e");
  return ask(text, text.includes(marks.settle) ? ids : firstCells.map((row) => row.split("\u001f", 1)[0] ?? ""));
};

const levels = Object.fromEntries(["debug", "info", "warn", "error"].map((level) => [level, () => undefined]));
const log = { ...levels, child: () => levels };
const platform = { call: async (given: PlatformCall) => ((calls += 1), call(given)) };
const clock = { now: () => new Date(), monotonic: () => performance.now() };
const vault = { open: (text: string) => text, fingerprint: (text: string) => text };
/** Statements may take long and nothing runs by itself, so that only the statements of a test's requests come. */
const seldom = {
  statementMs: 60_000,
  notesMs: 60_000,
  provenMs: 60_000,
  sweepMs: 60_000,
  reconcileTickMs: 86_400_000,
  requestedTickMs: 86_400_000,
};
const timeLimits = { ...defaultTimeLimits, ...seldom, holdMs: 1_000, duplicateWaitMs: 510 };
const config = { inDoubtSeconds: 120, timeLimits };
const context = {
  config,
  sql: Object.assign(sql, { unsafe: () => "" }),
  events: Object.assign(async () => [], { unsafe }),
  vault,
  platform,
  log,
  clock,
  instanceId: "gateway",
};
const start = (more: object = {}) => void (work = startWork({ ...context, ...more } as unknown as GatewayContext));

beforeEach(() => {
  vi.resetAllMocks();
  vi.useFakeTimers({ now: 1_000_000_000_000, toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "Date"] });
  // All code sees one time, also code that imports `performance` from its module.
  vi.spyOn(performance, "now").mockImplementation(() => Date.now());
  [site, asked, claims, answers, calls] = [siteRow, [], [], { answer: async () => Promise.resolve([original]) }, 0];
  call = async () => Promise.resolve({ kind: "answered", status: 200, json: { messages: [{ id: "wamid" }] } });
  start();
});
afterEach(() => {
  void work.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Runs everything that takes no time: a step that waits for another turn of the event loop comes a millisecond later. */
const soon = async () => pass(9);
const readBody = vi.fn<() => Promise<Buffer>>(async () => Promise.resolve(body));

/** Posts a request and notes its end: the answer, a refusal's name, or an error. */
function post(headers: Record<string, string> = {}, read: () => Promise<Buffer> = readBody) {
  const posted: { is: unknown; json?: Record<string, unknown> } = { is: "waiting" };
  const signed = { "content-type": "application/json", "x-service-site-key": key, "x-service-signature": signBody("secret", body) };
  const path = { source: "shop", event: "order.created" };
  const request = { ...path, headers: { ...signed, ...headers }, receivedAt: new Date(), readBody: read };
  work.ingest.handle(request).then(
    (answer) => Object.assign(posted, { is: answer, json: JSON.parse(answer.body) }),
    (error: unknown) => (posted.is = error instanceof RequestRefused ? error.refusal : error),
  );
  return posted;
}
const slowly = (ms: number) => async () => new Promise<Buffer>((resolve) => setTimeout(() => resolve(body), ms));
const times = (statement: Statement) => asked.filter((name) => name === statement).length;
const keyed = { "x-service-idempotency-key": "key" };
const badly = { "x-service-signature": "sha256=bad" };

describe("an event that was planned on what holds no more", () => {
  it("is planned anew on a fresh look, from the body that is there", async () => {
    answers.claim = async (ids) => {
      const isOutdated = site === siteRow;
      site = { ...siteRow, bindings: [binding, { ...binding, id: "another" }] };
      return Promise.resolve(isOutdated ? [] : ids.map((id) => ({ id, claimed: true })));
    };
    const posted = post();
    await pass(100);
    expect(posted.json).toMatchObject({ chat: "sent", bindings_run: 2, event_id: claims[1]?.[0] });
    expect([times("site"), claims.length, readBody.mock.calls.length]).toEqual([2, 2, 1]);
  });

  it("ten times over is one too many", async () => {
    answers.claim = async () => Promise.resolve([]);
    const posted = post();
    await pass(1_000);
    expect(posted.is).toBe("full");
    expect(claims).toHaveLength(10);
  });
});

describe("a duplicate", () => {
  const isDuplicate = async (ids: string[]) => Promise.resolve(ids.map((id) => ({ id, claimed: claims.length > 1 })));

  it("waits from its last byte on", async () => {
    answers = { claim: isDuplicate, answer: async () => Promise.resolve([{ ...original, chat: null }]) };
    const posted = post(keyed, slowly(3_000));
    await pass(5_000);
    expect(posted.is).toBe("still_in_progress");
    expect(times("answer")).toBe(7);
  });
});

describe("a site whose events wait too long", () => {
  /** Two events, one of which is being claimed for ever while the other waits. */
  const queue = async () => {
    answers.claim = never;
    post();
    await soon();
    post();
    await pass(0);
  };
  it("gets no more of them, whatever they say, but they are read", async () => {
    await queue();
    await pass(1_000);
    const inTime = post(badly);
    await pass(1);
    const late = [post(badly), post(badly, never)];
    await soon();
    expect([inTime, ...late].map(({ is }) => is)).toEqual(["invalid_signature", "full", "waiting"]);
  });

  it.each([1_000, 1_001])("gets none that was read meanwhile (for %i ms)", async (ms) => {
    await queue();
    const posted = post({}, slowly(ms));
    await pass(ms);
    expect(posted.is).toBe(ms === 1_000 ? "waiting" : "full");
  });
});

describe("an account whose messages hang", () => {
  it.each([
    ["twenty of each event at once", 100, 20, "full", { activePhones: phones(25), bindings: [toAll] }],
    ["not counting those that are not sent", 133, 15, "invalid_signature", { activePhones: phones(15), bindings: [toAll, paused] }],
  ])("has 2,000 of them at most under way, %s (%i events)", async (_, most, each, unsigned, config) => {
    site = { ...siteRow, ...config };
    let answer: (answer: unknown) => void = () => undefined;
    const answered = new Promise((resolve) => (answer = resolve));
    call = async () => answered;
    const posted = Array.from({ length: most }, () => post());
    await pass(100);
    const more = [post(), post(badly)];
    await pass(100);
    expect([more.map(({ is }) => is), claims.flat().length, calls]).toEqual([["full", unsigned], most, most * each]);
    answer({ kind: "answered", status: 200, json: { messages: [{ id: "wamid" }] } });
    await pass(100);
    posted.push(post());
    await soon();
    expect(posted.every(({ json }) => json)).toBe(true);
  });

  it("gets back the places of those that could not be stored", async () => {
    site = { ...siteRow, bindings: [toAll] };
    answers.claim = async () => Promise.reject(new Error("broken"));
    const posted = Array.from({ length: 100 }, () => post());
    await pass(1_000);
    posted.push(post());
    await soon();
    expect(posted.map(({ is }) => is)).toEqual(Array(101).fill(new Error("broken")));
  });
});

describe("the end", () => {
  it("of a claim comes ten seconds after the last byte, and that of the gateway with what is left written", async () => {
    answers.claim = never;
    post();
    await soon();
    const posted = post({}, slowly(3_000));
    await pass(12_999);
    expect(posted.is).toBe("waiting");
    await pass(21);
    expect(posted.is).toMatchObject({ code: "ETIMEDOUT" });
    asked = [];
    await work.stop();
    expect(asked).toEqual(["use"]);
    await pass(120_000);
    expect(asked).toEqual(["use"]);
  });

  it("waits twenty seconds for results that are still to be recorded", async () => {
    answers.settle = never;
    const posted = post();
    await pass(15_009);
    expect(posted.is).toMatchObject({ code: "ETIMEDOUT" });
    const end = { isOver: false };
    void work.stop().then(() => (end.isOver = true));
    await pass(19_999);
    expect(end.isOver).toBe(false);
    await pass(1);
    expect(end.isOver).toBe(true);
  });
});
