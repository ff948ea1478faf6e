import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadlines } from "./deadlines.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

test("each piece of work ends once, within 20 ms of its time, unless it is removed before", () => {
  const work = fc.record({ startsAt: fc.nat(500), lastsMs: fc.nat(500), takesMs: fc.nat(500) });
  fc.assert(
    fc.property(fc.array(work), (all) => {
      const deadlines = createDeadlines();
      const began = performance.now();
      const ended = all.map((): number[] => []);
      all.forEach(({ startsAt, lastsMs, takesMs }, i) => {
        setTimeout(() => {
          const limited = { endsAt: performance.now() + lastsMs, place: -1, expire: () => ended[i]?.push(performance.now() - began) };
          deadlines.add(limited);
          setTimeout(() => deadlines.remove(limited), takesMs);
        }, startsAt);
      });
      vi.runAllTimers();
      all.forEach(({ startsAt, lastsMs, takesMs }, i) => {
        const [at, ...more] = ended[i] ?? [];
        expect(more).toEqual([]);
        const isInTime =
          at === undefined ? takesMs <= lastsMs + 20 : lastsMs <= takesMs && at - startsAt >= lastsMs && at - startsAt <= lastsMs + 20;
        expect([at, isInTime]).toEqual([at, true]);
      });
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});

test("what ends may begin and end other work", () => {
  const deadlines = createDeadlines();
  const ended: string[] = [];
  const limited = (name: string, expire = () => {}) => ({
    endsAt: performance.now() + 10,
    place: -1,
    expire: () => (ended.push(name), expire()),
  });
  const second = limited("second");
  deadlines.add(
    limited("first", () => {
      deadlines.remove(second);
      deadlines.add(limited("third"));
    }),
  );
  deadlines.add(second);
  vi.runAllTimers();
  expect(ended).toEqual(["first", "third"]);
});
