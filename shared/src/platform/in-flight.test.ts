import fc from "fast-check";
import { expect, test } from "vitest";
import { createInFlight, type InFlight } from "./in-flight.ts";

test("one account gets 2,000 places, and leaves some for the others", () => {
  const inFlight = createInFlight();
  expect(inFlight.reserve("a", 2_000)).toBe(true);
  expect(inFlight.reserve("a", 1)).toBe(false);
  expect(inFlight.reserve("b", 500)).toBe(true);
  expect(inFlight.taken).toBe(2_500);
});

test("an account that times out keeps a quarter, until it is answered again", () => {
  const inFlight = createInFlight();
  expect(inFlight.reserve("a", 2_000)).toBe(true);
  inFlight.timedOut("a");
  inFlight.release("a", 1_500);
  expect(inFlight.reserve("a", 1)).toBe(false);
  inFlight.release("a", 20);
  expect(inFlight.reserve("a", 20)).toBe(true);
  expect(inFlight.reserve("a", 1)).toBe(false);
  inFlight.answered("a");
  expect(inFlight.reserve("a", 1_500)).toBe(true);
});

test("full is who has taken every place, or finds none left, but not who only has fewer for a while", () => {
  const inFlight = createInFlight();
  inFlight.timedOut("a");
  expect(inFlight.reserve("a", 500)).toBe(true);
  expect(inFlight.isFull("a")).toBe(false);
  expect(inFlight.reserve("b", 2_000)).toBe(true);
  expect([inFlight.isFull("b"), inFlight.isFull("c")]).toEqual([true, false]);
  expect(inFlight.reserve("c", 500)).toBe(true);
  expect([inFlight.isFull("a"), inFlight.isFull("c")]).toEqual([true, true]);
  inFlight.release("b", 1);
  expect([inFlight.isFull("b"), inFlight.isFull("c")]).toEqual([false, false]);
});

test("an event that sends nothing needs no place", () => {
  const inFlight = createInFlight();
  expect(inFlight.reserve("a", 2_000)).toBe(true);
  inFlight.timedOut("a");
  expect(inFlight.reserve("a", 0)).toBe(true);
  expect(inFlight.taken).toBe(2_000);
});

test("several accounts that time out hold nobody up", () => {
  const inFlight = createInFlight();
  for (const account of ["a", "b", "c", "d"]) {
    inFlight.timedOut(account);
    while (inFlight.reserve(account, 20));
  }
  expect(inFlight.taken).toBe(2_000);
  expect(inFlight.reserve("healthy", 1_000)).toBe(true);
});

type Step = { account: string; n: number; act: "reserve" | "release" | "answered" | "timedOut" };

const step: fc.Arbitrary<Step> = fc.record({
  account: fc.constantFrom("a", "b", "c"),
  n: fc.integer({ min: 1, max: 30 }),
  act: fc.constantFrom("reserve", "reserve", "reserve", "release", "answered", "timedOut"),
});

test("whatever happens, the bounds hold, and a place is refused only beyond them", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const inFlight = createInFlight({ max: 40, perAccountShare: 0.25 });
      const model = { held: new Map<string, number>(), hanging: new Set<string>() };
      for (const next of steps) {
        expect(act(inFlight, next)).toBe(expected(model, next));
        expect(inFlight.taken).toBe(total(model));
      }
    }),
  );
});

interface Model {
  held: Map<string, number>;
  hanging: Set<string>;
}

const total = ({ held }: Model): number => [...held.values()].reduce((sum, one) => sum + one, 0);

function act(inFlight: InFlight, { account, n, act: name }: Step): boolean | undefined {
  if (name === "reserve") return inFlight.reserve(account, n);
  if (name === "release") inFlight.release(account, n);
  else inFlight[name](account);
  return undefined;
}

/** The rules as the documentation puts them, for 40 places: 60 in all, and 10 for one that hangs. */
function expected(model: Model, { account, n, act: name }: Step): boolean | undefined {
  const mine = model.held.get(account) ?? 0;
  if (name === "answered") model.hanging.delete(account);
  if (name === "timedOut") model.hanging.add(account);
  if (name === "release") model.held.set(account, Math.max(0, mine - n));
  if (name !== "reserve") return undefined;
  const fits = total(model) + n <= 60 && mine + n <= (model.hanging.has(account) ? 10 : 40);
  if (fits) model.held.set(account, mine + n);
  return fits;
}
