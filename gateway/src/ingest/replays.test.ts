import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createReplays, type Replays } from "./replays.ts";

interface Written {
  site_id: string;
  id: string;
  times: number;
}

let written: Written[][];
/** What becomes of the next statements; all others succeed. */
let outcomes: (() => Promise<never>)[];
let replays: Replays;
const line = () => vi.fn<(entry: object, text: string) => void>();
const log = { debug: line(), warn: line() };

const sql = async (_: TemplateStringsArray, rows: string) => {
  written.push(JSON.parse(rows) as Written[]);
  return outcomes.shift()?.() ?? [];
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  [written, outcomes] = [[], []];
  replays = createReplays({ sql, log, config: { timeLimits: defaultTimeLimits } } as unknown as GatewayContext);
});
afterEach(() => {
  void replays.stop();
  vi.useRealTimers();
});

const note = (...ids: string[]) => ids.forEach((id) => replays.note(`site of ${id}`, id));
const row = (id: string, times: number) => ({ site_id: `site of ${id}`, id, times });
const second = async () => vi.advanceTimersByTimeAsync(1_000);
const away = async () => Promise.reject(new Error("away"));

it("the replays of a second are counted by event and written in one statement, once", async () => {
  note("a", "b", "a", "a");
  await vi.advanceTimersByTimeAsync(999);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual([[row("a", 3), row("b", 1)]]);
  note("b");
  await second();
  await second();
  expect(written.slice(1)).toEqual([[row("b", 1)]]);
});

it("nothing is written where nothing was replayed, also at the end", async () => {
  await second();
  await replays.stop();
  expect(written).toEqual([]);
});

it("a flood counts ten thousand events at once, and goes on counting those", async () => {
  for (let i = 0; i <= 10_000; i += 1) note(String(i));
  note("0", "10000");
  await second();
  expect(written[0]).toHaveLength(10_000);
  expect(written[0]?.[0]).toEqual(row("0", 2));
  expect(written[0]?.at(-1)).toEqual(row("9999", 1));
  note("10000");
  await second();
  expect(written[1]).toEqual([row("10000", 1)]);
});

it("what is left is written at the end, and nothing after it", async () => {
  note("a");
  await replays.stop();
  expect(written).toEqual([[row("a", 1)]]);
  note("b");
  await second();
  expect(written).toHaveLength(1);
});

it("counts that could not be written at the end are no error", async () => {
  outcomes = [away];
  note("a");
  await replays.stop();
  expect(log.debug.mock.calls).toEqual([[{ err: new Error("away") }, "counts of duplicates not written"]]);
});

it("counts that could not be written are lost, and those after them are not", async () => {
  outcomes = [away];
  note("a");
  await second();
  expect(log.warn).toHaveBeenCalledTimes(1);
  note("b");
  await second();
  expect(written).toEqual([[row("a", 1)], [row("b", 1)]]);
});

it("counts that meet another's locks are written after all", async () => {
  outcomes = [async () => Promise.reject(Object.assign(new Error("deadlock"), { code: "40P01" }))];
  note("a");
  await second();
  expect(written).toEqual([[row("a", 1)], [row("a", 1)]]);
  expect(log.warn).not.toHaveBeenCalled();
});

it("a database that does not answer within five seconds is not waited for", async () => {
  outcomes = [async () => new Promise(() => undefined)];
  note("a");
  await vi.advanceTimersByTimeAsync(5_999);
  expect(log.warn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ err: { code: "ETIMEDOUT" } });
});
