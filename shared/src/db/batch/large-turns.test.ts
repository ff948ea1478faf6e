import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLargeTurns, isCostly } from "./large-turns.ts";

let enterTurn: ReturnType<typeof createLargeTurns>;
/** What became of those who came, in this order, and how each in its turn leaves. */
let seen: string[];
const leaves = new Map<string, () => void>();

const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
const enter = (name: string): void =>
  void enterTurn(name.charAt(0)).then(
    (leave) => void (leaves.set(name, leave), seen.push(name)),
    (error: unknown) => void seen.push(`${name} ${(error as Error).message}`),
  );
const leave = async (name: string): Promise<void> => {
  leaves.get(name)?.();
  await pass(9);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "performance"] });
  [enterTurn, seen] = [createLargeTurns(5_000, () => new Error("full")), []];
});
afterEach(() => void vi.useRealTimers());

it("tells a body that takes long to parse from one that is only long", () => {
  const costly = [
    "[".repeat(66_000),
    `[${"9007199254740993,".repeat(33_000)}1]`,
    JSON.stringify(Array(17_000).fill({ a: 1 })),
    `{${'"a":1,'.repeat(17_000)}"b":1}`,
  ];
  const quick = [
    "{}",
    "[".repeat(65_000),
    JSON.stringify("x".repeat(1_000_000)),
    JSON.stringify(Array(6_000).fill({ name: "x".repeat(40), qty: 1 })),
  ];
  expect([...costly, ...quick].map((text) => isCostly(Buffer.from(text)))).toEqual([true, true, true, true, false, false, false, false]);
});

it("takes one large body at a time, of each group in turn", async () => {
  for (const name of ["a1", "a2", "a3", "b1"]) enter(name);
  await pass(9);
  expect(seen).toEqual(["a1"]);
  for (const name of ["a1", "b1", "a2"]) await leave(name);
  expect(seen).toEqual(["a1", "b1", "a2", "a3"]);
});

it("lets others go first for as long as the last turn took", async () => {
  enter("a1");
  enter("a2");
  await pass(400);
  await leave("a1");
  await pass(350);
  expect(seen).toEqual(["a1"]);
  await pass(50);
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
  await pass(500);
  expect(seen).toEqual(["a1", "a2 full", "a3"]);
});

it("lets no group keep more than 128 waiting", async () => {
  for (let n = 0; n < 129; n += 1) enter("a");
  enter("b");
  await pass(9);
  expect(seen).toEqual(["a full", "a"]);
});
