import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPlaces } from "./places.ts";

let isOpen: boolean;
let places: ReturnType<typeof createPlaces>;
/** The guests that are in, in the order in which they came in, and those that were sent away. */
let inside: string[];
let sentAway: string[];
const leaves = new Map<string, () => void>();

const settled = async () => new Promise<void>((resolve) => setImmediate(resolve));
const enter = (name: string, group = name, tryEnter?: () => string | null): void =>
  void places.enter(group, tryEnter).then((leave) => {
    if (leave !== null) leaves.set(name, leave);
    (leave === null ? sentAway : inside).push(name);
  });
const leave = async (name: string): Promise<void> => {
  leaves.get(name)?.();
  inside = inside.filter((one) => one !== name);
  await settled();
};

beforeEach(() => {
  [isOpen, inside, sentAway] = [true, [], []];
  places = createPlaces({ most: 3, mostOfGroup: 2, isOpen: () => isOpen });
});
afterEach(() => void vi.useRealTimers());

describe("places", () => {
  it("go to whoever came first, and each group has only so many", async () => {
    for (const name of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) enter(name, name.charAt(0));
    await settled();
    expect(inside).toEqual(["a1", "a2", "b1"]);
    await leave("b1");
    expect(inside).toEqual(["a1", "a2", "c1"]);
    // The next of its group comes behind those who were waiting for any place.
    await leave("a1");
    expect(inside).toEqual(["a2", "c1", "b2"]);
    await leave("c1");
    expect(inside).toEqual(["a2", "b2", "a3"]);
    await leave("a2");
    expect(inside).toEqual(["b2", "a3", "a4"]);
  });

  it("are given to nobody while they are shut, and to all who wait once they are open again", async () => {
    isOpen = false;
    enter("a");
    enter("b");
    await settled();
    expect(inside).toEqual([]);
    isOpen = true;
    places.admit();
    await settled();
    expect(inside).toEqual(["a", "b"]);
  });

  it("are refused to those who lack something else, who keep nobody waiting, and try again when it is free", async () => {
    let isFree = false;
    const needs = () => (isFree ? null : "thing");
    for (const name of ["a", "b", "c"]) enter(name, name, needs);
    enter("d");
    await settled();
    expect(inside).toEqual(["d"]);
    places.freed("something else");
    places.freed("thing");
    await settled();
    expect(inside).toEqual(["d"]);
    isFree = true;
    // One at a time, the first of those who wait, who wakes the next when it leaves.
    places.freed("thing");
    await settled();
    expect(inside).toEqual(["d", "b"]);
    await leave("b");
    expect(inside).toEqual(["d", "c"]);
    await leave("c");
    expect(inside).toEqual(["d", "a"]);
  });

  it("that a woken guest cannot use for another reason go to the next who waits for the same", async () => {
    const lacking = new Set(["thing", "other"]);
    enter("a", "a", () => (lacking.has("thing") ? "thing" : lacking.has("other") ? "other" : null));
    enter("b", "b", () => (lacking.has("thing") ? "thing" : null));
    await settled();
    lacking.delete("thing");
    places.freed("thing");
    await settled();
    expect(inside).toEqual(["b"]);
    lacking.delete("other");
    places.freed("other");
    await settled();
    expect(inside).toEqual(["b", "a"]);
  });

  it("send everybody away once they are closed", async () => {
    for (const name of ["a", "b", "c", "d"]) enter(name);
    enter("e", "e", () => "thing");
    await settled();
    places.close();
    enter("f");
    await settled();
    expect(sentAway.toSorted()).toEqual(["d", "e", "f"]);
    await leave("a");
    expect(inside).toEqual(["b", "c"]);
  });

  it("cost as much for each who waits with four thousand groups as with a hundred, whatever they wait for, and no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    /** How often somebody is tried for each place that is given, while every group comes again at once. */
    const triesPerPlace = async (groups: number): Promise<number> => {
      const shared = createPlaces({ most: 64, mostOfGroup: 16 });
      const free = new Map(Array.from({ length: groups }, (_, n) => [`account ${n}`, 1]));
      let [tries, given] = [0, 0];
      const inUse: { leave: () => void; key: string }[] = [];
      const come = (n: number): void => {
        const key = `account ${n}`;
        const tryEnter = (): string | null => {
          tries += 1;
          const left = free.get(key) ?? 0;
          if (left > 0) free.set(key, left - 1);
          return left > 0 ? null : key;
        };
        void shared.enter(key, tryEnter).then((leaveIt) => {
          given += 1;
          inUse.push({ leave: leaveIt as () => void, key });
          // Two of each group at a time, so that the second waits for what the first has.
          come(n);
        });
      };
      for (let n = 0; n < groups; n += 1) come(n);
      while (given < 3 * groups) {
        await settled();
        for (const { leave: leaveIt, key } of inUse.splice(0)) {
          leaveIt();
          free.set(key, 1);
          shared.freed(key);
        }
      }
      return tries / given;
    };
    const [few, many] = [await triesPerPlace(100), await triesPerPlace(4_000)];
    expect(few).toBeLessThan(4);
    expect(many).toBeLessThan(1.1 * few);
    // What an earlier file of this worker left at work may set one or two; those who wait are thousands.
    expect(vi.getTimerCount()).toBeLessThan(100);
  });
});
