import fc from "fast-check";
import { uuidFloor } from "shared/core/uuid";
import type { HeldSite } from "shared/db/event-kind";
import { expect, test, describe } from "vitest";
import { oneAhead, advance, startOf } from "./kinds.ts";

describe("one ahead", () => {
  test("who asks meanwhile shares the next turn, which begins after they asked", async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const act = oneAhead(async (key) => {
      begun.push(key);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    const first = act("a");
    const [second, third] = [act("a"), act("a")];
    const other = act("b");
    expect(begun).toEqual(["a", "b"]);
    ends.splice(0).forEach((end) => end());
    await Promise.all([first, other]);
    await expect.poll(() => begun).toEqual(["a", "b", "a"]);
    ends.splice(0).forEach((end) => end());
    await Promise.all([second, third]);
    const last = act("a");
    expect(begun).toEqual(["a", "b", "a", "a"]);
    ends.splice(0).forEach((end) => end());
    await last;
  });
});

const freshSeconds = 2;
const settledSeconds = 10;
const id = (second: number): string => uuidFloor(Math.max(second, 0) * 1000);

interface State {
  fresh: string;
  settled: string;
}

const held = ({ fresh, settled }: State, now: number): HeldSite => ({
  site_id: "s",
  fresh,
  settled,
  fresh_limit: id(now - freshSeconds),
  settled_limit: id(now - settledSeconds),
  overdue: settled < fresh && settled <= id(now - 2 * settledSeconds),
});

/** Reads a page of the committed events, as the learner does. */
function look(state: State, now: number, committed: readonly string[], learned: Set<string>, pageSize: number): State {
  const site = held(state, now);
  const start = startOf(site, undefined);
  const page = committed
    .filter((event) => event > start)
    .toSorted()
    .slice(0, pageSize);
  for (const event of page) learned.add(event);
  return advance(site, start, { last: page.at(-1) ?? null, isFull: page.length === pageSize });
}

describe("the cursors", () => {
  test("miss no event that is committed late, by whatever clock, and come to rest", () => {
    // For each event: when it is committed, and how long before that its id was made.
    const events = fc.array(fc.tuple(fc.integer({ min: 100, max: 200 }), fc.integer({ min: -5, max: settledSeconds })), { maxLength: 40 });
    const looks = fc.uniqueArray(fc.integer({ min: 100, max: 240 }), { maxLength: 60 });
    fc.assert(
      fc.property(events, looks, (made, times) => {
        const all = made.map(([at, late], n) => ({ at, id: `${id(at - late).slice(0, -3)}${String(n).padStart(3, "0")}` }));
        const learned = new Set<string>();
        let state: State = { fresh: id(0), settled: id(0) };
        for (const now of [...times.toSorted((a, b) => a - b), 300, 301, 302, 330, 360, 390]) {
          const committed = all.filter(({ at }) => at <= now).map((event) => event.id);
          const before = state;
          state = look(state, now, committed, learned, 1_000);
          expect(state.fresh >= before.fresh && state.settled >= before.settled).toBe(true);
        }
        expect(learned).toEqual(new Set(all.map((event) => event.id)));
        expect(held(state, 1_000).overdue).toBe(false);
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  test("go through a backlog once, page by page", () => {
    const backlog = Array.from({ length: 95 }, (_, n) => id(n));
    const learned = new Set<string>();
    let state: State = { fresh: id(0), settled: id(0) };
    for (let page = 0; page < 10; page += 1) state = look(state, 1_000, backlog.slice(1), learned, 10);
    expect(learned.size).toBe(94);
    expect(state).toEqual({ fresh: id(94), settled: id(94) });
  });

  test("come to rest too when what they have passed is gone since", () => {
    const learned = new Set<string>();
    const before = look({ fresh: id(100), settled: id(100) }, 203, [id(200)], learned, 10);
    expect(before).toEqual({ fresh: id(200), settled: id(193) });
    const after = look(before, 300, [], learned, 10);
    expect(after).toEqual({ fresh: id(200), settled: id(200) });
  });

  test("a run goes on where it was, although the cursors stay behind what is too fresh", () => {
    const site = held({ fresh: id(990), settled: id(980) }, 1_000);
    const next = advance(site, id(990), { last: id(999), isFull: true });
    expect(next).toEqual({ fresh: id(998), settled: id(980) });
    expect(startOf({ ...site, ...next }, id(999))).toBe(id(999));
  });
});
