import fc from "fast-check";
import { expect, test } from "vitest";
import { createInFlight } from "./in-flight.ts";

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
  const max = 40;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const inFlight = createInFlight({ max, perAccountShare: 0.25 });
      const held: Record<string, number> = { a: 0, b: 0, c: 0 };
      const hanging = new Set<string>();
      for (const { account, n, act } of steps) {
        const mine = held[account] ?? 0;
        const all = Object.values(held).reduce((sum, one) => sum + one, 0);
        expect(inFlight.taken).toBe(all);
        if (act === "reserve") {
          const fits = all + n <= 60 && mine + n <= (hanging.has(account) ? 10 : 40);
          expect(inFlight.reserve(account, n)).toBe(fits);
          if (fits) held[account] = mine + n;
        } else if (act === "release") {
          inFlight.release(account, n);
          held[account] = Math.max(0, mine - n);
        } else {
          inFlight[act](account);
          if (act === "timedOut") hanging.add(account);
          else hanging.delete(account);
        }
      }
    }),
  );
});
