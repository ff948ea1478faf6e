import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLargeTurns } from "./large-turns.ts";

let turns: ReturnType<typeof createLargeTurns>;
/** What became of those who came, in this order, and how each in its turn leaves. */
let seen: string[];
const leaves = new Map<string, () => void>();

const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
const enter = (name: string): void => {
  turns.count(1);
  void turns.enter(name.charAt(0)).then(
    (leave) => void (leaves.set(name, leave), seen.push(name)),
    (error: unknown) => void seen.push(`${name} ${(error as Error).message}`),
  );
};
const leave = async (name: string): Promise<void> => {
  leaves.get(name)?.();
  await pass(9);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "performance"] });
  [turns, seen] = [createLargeTurns(5_000, () => new Error("full")), []];
});
afterEach(() => void vi.useRealTimers());

it("takes one large body at a time, of each site in turn", async () => {
  for (const name of ["a1", "a2", "a3", "b1"]) enter(name);
  await pass(9);
  expect(seen).toEqual(["a1"]);
  for (const name of ["a1", "b1", "a2"]) await leave(name);
  expect(seen).toEqual(["a1", "b1", "a2", "a3"]);
});

it.each([
  ["until none is under way", 0, ["a1", "a2"]],
  ["for as long as the last turn took", 1, ["a1"]],
])("lets smaller events go first, %s", async (_, more, early) => {
  enter("a1");
  enter("a2");
  turns.count(1);
  await pass(1_000);
  await leave("a1");
  if (more === 0) turns.count(-1);
  await pass(900);
  expect(seen).toEqual(early);
  await pass(100);
  expect(seen).toEqual(["a1", "a2"]);
});

it("sends away whoever has waited for too long, who then needs no turn", async () => {
  enter("a1");
  await pass(1_000);
  enter("a2");
  await pass(5_029);
  enter("a3");
  expect(seen).toEqual(["a1", "a2 full"]);
  await leave("a1");
  expect(seen).toEqual(["a1", "a2 full", "a3"]);
});
