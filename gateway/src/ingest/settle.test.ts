import type { Settlement } from "shared/db/event/settle";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createSettle, type Settle } from "./deliver.ts";

const { refusedMs, statementMs } = defaultTimeLimits;
const tenMinutes = 600_000;
const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const away = withCode("ECONNREFUSED");
const hangs = async () => new Promise<never>(() => undefined);
const fails = (error: Error) => async () => Promise.reject(error);

interface Statement {
  at: number;
  events: string[];
  results: string[];
  next: string[];
}

/** The statements so far. */
let statements: Statement[];
/** The outcomes of the next statements; later ones succeed. */
let script: (() => Promise<void>)[];
/** The events that others have taken over. */
let lost: string[];
let lines: [string, unknown, string][];
let settle: Settle;
const now = (): number => 1_000_000 + performance.now();

async function unsafe(text: string, params: readonly unknown[]): Promise<{ id: string }[]> {
  const idsAt = (index: number) => params.at(index) as string[];
  const events = idsAt(1);
  const results = text.includes("applied as") ? idsAt(9) : [];
  const next = text.includes("marked as") ? idsAt(-3) : [];
  statements.push({ at: performance.now(), events, results, next });
  await script.shift()?.();
  return events.filter((id) => !lost.includes(id)).map((id) => ({ id }));
}

beforeEach(() => {
  vi.useFakeTimers();
  // The timers' own `setImmediate` would take a millisecond, which would add up to the times of statements.
  vi.stubGlobal("setImmediate", queueMicrotask);
  [statements, script, lost, lines] = [[], [], [], []];
  const lineOf = (level: string) => (entry: object, text: string) => void lines.push([level, entry, text]);
  const log = { warn: lineOf("warn"), error: lineOf("error") };
  const config = { timeLimits: defaultTimeLimits };
  settle = createSettle({ events: { unsafe }, clock: { monotonic: now }, config, log } as unknown as GatewayContext);
});
afterEach(() => void vi.unstubAllGlobals().useRealTimers());

const progressOf = (id: string, site_id = "site") => ({
  site_id,
  id,
  owner: "instance",
  chat: "sent",
  recipients_sent: 1,
  recipients_failed: 0,
});

function settlementOf(event: string, siteId = "site"): Settlement {
  const which = { site_id: siteId, event_id: event };
  const said = { status: "sent" as const, local: false, wa_message_id: "wamid", error_code: null, error_reason: null, error_detail: null };
  return {
    results: [{ ...which, id: `result of ${event}`, attempt: 1, ...said }],
    next: [{ ...which, id: `next of ${event}` }],
    event: progressOf(event, siteId),
    hasWebhooks: false,
  };
}

/** Settles for a caller who waits this long; resolves with the outcome and its time. */
const begin = async (settlement: Settlement, ms = 10_000) => {
  const since = performance.now();
  const ended = <T>(value: T): [T, number] => [value, performance.now() - since];
  return settle.record(settlement, now() + ms).then(ended, ended);
};
const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
const run = async (settlement: Settlement, ms?: number) => {
  const outcome = begin(settlement, ms);
  await pass(tenMinutes + 10_000);
  return outcome;
};
const statementOf = (...events: string[]) => ({
  events,
  results: events.map((id) => `result of ${id}`),
  next: events.map((id) => `next of ${id}`),
});

describe("a settlement", () => {
  it("has two statements at a time to go with where the first is late, and no third", async () => {
    script = [hangs, hangs];
    const outcomes = [begin(settlementOf("first"))];
    await pass(100);
    for (let n = 0; n < 24; n += 1) {
      await pass(0);
      outcomes.push(begin(settlementOf(`event ${n}`)));
    }
    await pass(0);
    expect(statements.map(({ events }) => events.length)).toEqual([1, 8]);
    await pass(20_000);
    await Promise.all(outcomes);
  });
});

describe("while the database is away", () => {
  it("a settlement is tried again after ever longer pauses, of a second at most", async () => {
    script = Array(8).fill(fails(away));
    expect(await run(settlementOf("a"))).toEqual([true, 4_550]);
    expect(statements).toEqual([0, 50, 150, 350, 750, 1_550, 2_550, 3_550, 4_550].map((at) => ({ at, ...statementOf("a") })));
    expect(lines).toEqual(Array(8).fill(["warn", { err: away, event_ids: ["a"] }, "results wait for the database"]));
  });

  it("a statement without an answer is tried again when its time is over", async () => {
    script = [hangs];
    expect(await run(settlementOf("a"))).toEqual([true, statementMs + 50]);
  });

  it("the caller is told in time, the results are recorded all the same, and no next wave is marked", async () => {
    script = Array(3).fill(fails(away));
    const given = settlementOf("a");
    expect(await run(given, 200)).toEqual([expect.objectContaining({ code: "ETIMEDOUT" }), 200]);
    expect(statements).toMatchObject([statementOf("a"), statementOf("a"), statementOf("a"), { ...statementOf("a"), next: [] }]);
    expect(given).toEqual(settlementOf("a"));
    expect(lines.map(([level]) => level)).toEqual(["warn", "warn", "warn"]);
  });

  it("a caller whose time is over is told soon", async () => {
    script = [fails(away)];
    expect(await run(settlementOf("a"), -100)).toEqual([expect.objectContaining({ code: "ETIMEDOUT" }), 20]);
    expect(statements.at(-1)).toEqual({ at: 50, ...statementOf("a"), next: [] });
  });

  it("results that are given up are noted, after the tries of ten minutes", async () => {
    script = Array(1_000).fill(fails(away));
    await run(settlementOf("a"));
    const last = statements.at(-1)?.at ?? 0;
    expect([last > tenMinutes - 1_000, last <= tenMinutes + 1_000]).toEqual([true, true]);
    expect(lines.at(-1)).toEqual(["error", { err: away, event_ids: ["a"] }, "results could not be recorded"]);
    expect(lines.filter(([level]) => level === "error")).toHaveLength(1);
  });
});

it("results that the database refuses are tried again for ten seconds", async () => {
  const error = withCode("22P05");
  script = [fails(error)];
  expect(await run(settlementOf("a"))).toEqual([true, 50]);
  script = Array(100).fill(fails(error));
  const [outcome, ms] = await run(settlementOf("a"), 20_000);
  expect([outcome, ms > refusedMs - 1_000, ms < refusedMs + 1_100]).toEqual([error, true, true]);
  expect(lines.at(-1)).toEqual(["error", { err: error, event_ids: ["a"] }, "results could not be recorded"]);
});

it("what was too late is not recorded as failed when nobody is answered", async () => {
  script = Array(3).fill(fails(away));
  const given = settlementOf("a");
  const ended = settle.record(given, now() + 200, { results: [] }).catch((error: unknown) => error);
  await pass(tenMinutes);
  expect(await ended).toMatchObject({ code: "ETIMEDOUT" });
  expect(statements.map(({ results }) => results.length)).toEqual([1, 1, 1, 0]);
});

describe("draining", () => {
  const drained = async (ms: number) => {
    const since = performance.now();
    return settle.drain(ms).then(() => performance.now() - since);
  };

  it("ends with what is being recorded, also when nobody waits for it any more", async () => {
    script = [fails(away), fails(away), async () => pause(300)];
    const outcome = begin(settlementOf("a"), 10);
    const end = drained(1_000);
    await pass(2_000);
    expect(await end).toBe(450);
    await outcome;
  });

  it("ends when its time is over, and what is open goes on", async () => {
    script = [hangs];
    const outcome = begin(settlementOf("a"));
    const end = drained(1_000);
    await pass(20_000);
    expect(await end).toBe(1_000);
    expect(await outcome).toEqual([true, statementMs + 50]);
  });
});

const pause = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
