import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createGathered } from "./gathered.ts";

interface Note {
  id: string;
  times: number;
}

let written: Note[][];
/** The outcomes of the next statements; all others succeed. */
let outcomes: (() => Promise<never>)[];
let lost: string[][];
let gathered: ReturnType<typeof createGathered<Note>>;
const debug = vi.fn<(entry: object, text: string) => void>();

beforeEach(() => {
  vi.useFakeTimers().clearAllMocks();
  [written, outcomes, lost] = [[], [], []];
  gathered = createGathered<Note>({ log: { debug }, config: { timeLimits: defaultTimeLimits } } as unknown as GatewayContext, {
    name: "notes",
    everyMs: 1_000,
    most: 3,
    write: async (notes) => {
      written.push(notes);
      await outcomes.shift()?.();
    },
    merge: (known, more) => void (known.times += more.times),
    onLost: (notes) => void lost.push([...notes.keys()]),
  });
});
afterEach(() => void vi.useRealTimers());

const note = (...ids: string[]) => ids.forEach((id) => gathered.add(id, { id, times: 1 }));
const row = (id: string, times: number): Note => ({ id, times });
const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
const away = new Error("away");

it("the notes of a second are written in one statement, one for each key, once", async () => {
  note("a", "b", "a", "a");
  await pass(999);
  expect(written).toEqual([]);
  await pass(1);
  expect(written).toEqual([[row("a", 3), row("b", 1)]]);
  note("b");
  await pass(2_000);
  expect(written.slice(1)).toEqual([[row("b", 1)]]);
});

it("nothing is written where nothing was noted, also at the end", async () => {
  await pass(1_000);
  await gathered.stop();
  expect([written, vi.getTimerCount()]).toEqual([[], 0]);
});

it("a flood of keys notes the first, and goes on noting those", async () => {
  note("a", "b", "c", "d", "a");
  await pass(1_000);
  note("d");
  await pass(1_000);
  expect(written).toEqual([[row("a", 2), row("b", 1), row("c", 1)], [row("d", 1)]]);
});

it("what is left is written at the end, after what is being written", async () => {
  outcomes = [async () => new Promise((_, fail) => setTimeout(() => fail(away), 100))];
  note("a");
  await pass(1_000);
  note("b");
  const stopped = gathered.stop();
  await pass(100);
  await stopped;
  expect([written, lost]).toEqual([[[row("a", 1)], [row("b", 1)]], [["a"]]]);
});

it("notes that could not be written are lost, and those after them are not", async () => {
  outcomes = [async () => Promise.reject(away), async () => new Promise(() => undefined)];
  note("a");
  await pass(1_000);
  note("b");
  // A database that does not answer is not waited for.
  await pass(1_000 + defaultTimeLimits.statementMs);
  note("c");
  await pass(1_000);
  expect(written).toEqual([[row("a", 1)], [row("b", 1)], [row("c", 1)]]);
  expect(lost).toEqual([["a"], ["b"]]);
  expect(debug.mock.calls).toMatchObject([
    [{ err: away, notes: 1 }, "notes are not written"],
    [{ err: { code: "ETIMEDOUT" } }, "notes are not written"],
  ]);
});
