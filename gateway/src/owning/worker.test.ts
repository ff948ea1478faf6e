import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createWorker, type Kind, type Worker } from "./worker.ts";

const { ownedMs, refusedMs, patientMs } = defaultTimeLimits;
const tenMinutes = 600_000;
const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const away = withCode("ECONNREFUSED");
const refused = withCode("XX000");

type Row = { id: string };
const rowsOf = (...ids: string[]): Row[] => ids.map((id) => ({ id }));
const warn = vi.fn<(entry: object, text: string) => void>();
const error = vi.fn<(entry: object, text: string) => void>();

/** What goes back, statement by statement, with when and how. */
let back: { at: number; ids: string[]; inDoubt: boolean }[];
/** The rows that the database has as ours; those that go back are no longer. */
let owned: Set<string>;
let giveBack: Kind<Row>["handBack"];
let worker: Worker<Row>;

const open = (isListed: boolean): void => {
  const context = { config: { timeLimits: defaultTimeLimits }, clock: { monotonic: () => performance.now() }, log: { warn, error } };
  worker = createWorker<Row>(context as unknown as GatewayContext, {
    name: "rows",
    handBack: async (rows, inDoubt) => {
      back.push({ at: performance.now(), ids: rows.map(({ id }) => id), inDoubt });
      return await giveBack(rows, inDoubt);
    },
    ...(isListed && { listOwned: async () => rowsOf(...owned) }),
  });
};
beforeEach(() => {
  vi.useFakeTimers().clearAllMocks();
  [back, owned] = [[], new Set()];
  giveBack = async (rows) => rows.filter(({ id }) => owned.delete(id));
  open(true);
});
afterEach(async () => {
  const stopped = worker.stop();
  await pass(1_000);
  await stopped;
  vi.useRealTimers();
});

const pass = async (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** A take of these rows that is answered after `ms`. */
const take = async (ids: string[], ms = 0): Promise<Row[]> => {
  const statement = new Promise<Row[]>((resolve) => {
    ids.forEach((id) => owned.add(id));
    setTimeout(() => resolve(rowsOf(...ids)), ms);
  });
  return await worker.take(statement, (rows) => rows);
};
const taken = async (...ids: string[]) => {
  const rows = take(ids);
  await pass(0);
  return rows;
};
const record = async (part: readonly Row[]) => Promise.resolve(part.forEach(({ id }) => owned.delete(id)));

describe("rows that are worked on", () => {
  it("are ours no longer once their results are recorded", async () => {
    const rows = await taken("a", "b");
    expect(await worker.run(rows, (hand) => hand.record(rows, record))).toBe(true);
    await pass(10 * ownedMs);
    expect(back).toEqual([]);
  });

  it("go back at once when nothing is recorded: in doubt if something may have been done with them", async () => {
    const [a, b, c] = (await taken("a", "b", "c")) as [Row, Row, Row];
    await worker.run([a, b, c], async (hand) => {
      hand.begin([a, b]);
      await hand.record([a], record);
    });
    expect(back).toEqual([
      { at: 0, ids: ["c"], inDoubt: false },
      { at: 0, ids: ["b"], inDoubt: true },
    ]);
    await pass(10 * ownedMs);
    expect(back).toHaveLength(2);
  });

  it("go back when the work fails, which is no failure of the caller", async () => {
    const rows = await taken("a");
    expect(
      await worker.run(rows, async (hand) => {
        hand.begin(rows);
        throw away;
      }),
    ).toBe(false);
    expect(back).toEqual([{ at: 0, ids: ["a"], inDoubt: true }]);
    expect(error).toHaveBeenCalledExactlyOnceWith({ err: away, rows: 1 }, "rows could not be worked on");
  });
});

describe("results that cannot be recorded", () => {
  /** Records by statements that end in these ways; resolves with the time of the end. */
  const run = async (ids: string[], act: (part: readonly Row[]) => Promise<unknown>) => {
    const rows = await taken(...ids);
    const since = performance.now();
    const ended = worker
      .run(rows, async (hand) => {
        hand.begin(rows);
        await hand.record(rows, act);
      })
      .then((isWhole) => [isWhole, performance.now() - since]);
    await pass(tenMinutes + 10_000);
    return ended;
  };

  it("are tried again for ten minutes while the database is away, with ever longer pauses, and are then lost", async () => {
    const at: number[] = [];
    const since = performance.now();
    const act = async () => {
      at.push(performance.now() - since);
      return Promise.reject(away);
    };
    const [isWhole, ms] = await run(["a"], act);
    expect(at.slice(0, 8)).toEqual([0, 50, 150, 350, 750, 1_550, 2_550, 3_550]);
    expect(isWhole).toBe(false);
    expect(Number(ms)).toBeGreaterThanOrEqual(tenMinutes);
    expect(Number(ms)).toBeLessThanOrEqual(tenMinutes + 1_000);
    expect(back).toMatchObject([{ ids: ["a"], inDoubt: true }]);
  });

  it("are recorded as soon as that is possible", async () => {
    const outcomes = [away, refused, away];
    expect(await run(["a", "b"], async (part) => (outcomes.length > 0 ? Promise.reject(outcomes.shift() as Error) : record(part)))).toEqual(
      [true, 350],
    );
    expect(back).toEqual([]);
  });

  it("for one row harm no other: they are tried together for a while, and then apart", async () => {
    const parts: string[][] = [];
    const act = async (part: readonly Row[]) => {
      parts.push(part.map(({ id }) => id));
      return part.some(({ id }) => id === "c") ? Promise.reject(refused) : record(part);
    };
    const [isWhole, ms] = await run(["a", "b", "c", "d"], act);
    expect(isWhole).toBe(false);
    expect(Number(ms)).toBeGreaterThanOrEqual(refusedMs);
    expect(Number(ms)).toBeLessThanOrEqual(refusedMs + 1_000);
    expect(parts.slice(-4)).toEqual([["a", "b"], ["c", "d"], ["c"], ["d"]]);
    expect(back).toMatchObject([{ ids: ["c"], inDoubt: true }]);
  });
});

describe("what cannot go back", () => {
  it("is tried again with each look, until it has; one row harms no other", async () => {
    giveBack = async (rows) => (rows.some(({ id }) => id === "b") ? Promise.reject(refused) : rows.filter(({ id }) => owned.delete(id)));
    const rows = await taken("a", "b", "c");
    await worker.run(rows, async () => undefined);
    expect(back.map(({ ids }) => ids)).toEqual([["a", "b", "c"], ["a"], ["b", "c"], ["b"], ["c"]]);
    await pass(3 * ownedMs);
    expect(back.slice(5)).toMatchObject([{ ids: ["b"] }, { ids: ["b"] }, { ids: ["b"] }]);
    giveBack = async (some) => some.filter(({ id }) => owned.delete(id));
    await pass(10 * ownedMs);
    expect(back).toHaveLength(9);
  });

  it("is as much in doubt as it was", async () => {
    giveBack = async () => Promise.reject(away);
    const rows = await taken("a", "b");
    await worker.run(rows, async (hand) => hand.begin(rows));
    await pass(ownedMs);
    expect(back.at(-1)).toMatchObject({ ids: ["a", "b"], inDoubt: true });
    giveBack = async (some) => some.filter(({ id }) => owned.delete(id));
    await pass(10 * ownedMs);
    expect(back.slice(2)).toMatchObject([{ ids: ["a", "b"], inDoubt: true }]);
  });

  it("goes a thousand at a time", async () => {
    const rows = await taken(...Array.from({ length: 2_001 }, (_, n) => String(n)));
    await worker.run(rows, async () => undefined);
    expect(back.map(({ ids }) => ids.length)).toEqual([1_000, 1_000, 1]);
  });
});

describe("what a lost statement has taken", () => {
  it("goes back untried, also when the statement is carried out after it was given up", async () => {
    const ended = take(["a"], patientMs + 1).catch((reason: unknown) => reason);
    // The database's part of the take is over before its answer, and while it may still come nobody touches the row.
    await pass(patientMs - 1);
    expect(back).toEqual([]);
    await pass(1);
    expect(await ended).toMatchObject({ code: "ETIMEDOUT" });
    await pass(2 * ownedMs);
    expect(back).toMatchObject([{ ids: ["a"], inDoubt: false }]);
    expect(owned.size).toBe(0);
  });

  it("is not confused with what a take brings meanwhile, or what is worked on", async () => {
    const rows = await taken("a");
    let end = (): void => undefined;
    const working = worker.run(rows, async (hand) => {
      await new Promise<void>((resolve) => (end = resolve));
      await hand.record(rows, record);
    });
    for (let n = 0; n < 20; n += 1) {
      const slow = take([`row ${n}`], 700);
      await pass(700);
      await worker.run(await slow, (hand) => hand.record(rowsOf(`row ${n}`), record));
    }
    end();
    await working;
    await pass(10 * ownedMs);
    expect(back).toEqual([]);
  });
});

describe("rows that are known before they are ours", () => {
  beforeEach(async () => {
    await worker.stop().then(undefined, () => undefined);
    open(false);
  });

  it("are open in their order until they are closed or found", async () => {
    for (const id of ["a", "b", "c"]) worker.open(id);
    expect(worker.oldest()).toBe("a");
    worker.close("b");
    worker.giveBack({ id: "a" }, false);
    await pass(ownedMs);
    expect(worker.oldest()).toBe("a");
    owned.add("a");
    await pass(ownedMs);
    expect(worker.oldest()).toBe("c");
    worker.close("c");
    expect(worker.oldest()).toBeUndefined();
    expect(back).toMatchObject([
      { ids: ["a"], inDoubt: false },
      { ids: ["a"], inDoubt: false },
    ]);
  });

  it("are looked for as long as a lost statement may still make them ours, all in one statement", async () => {
    for (const id of ["a", "b"]) worker.giveBack({ id }, id === "b");
    await pass(60_000);
    const looks = back.filter(({ inDoubt }) => inDoubt).map(({ at }) => at);
    expect(looks.at(-1)).toBeGreaterThan(20_000);
    expect(looks.at(-1)).toBeLessThanOrEqual(20_000 + 2 * ownedMs);
    expect(back.filter(({ inDoubt }) => !inDoubt)).toHaveLength(looks.length);
  });

  it("a look that fails, or has no answer in time, counts for nothing", async () => {
    giveBack = async () => new Promise(() => undefined);
    worker.giveBack({ id: "a" }, true);
    await pass(60_000);
    expect(warn.mock.calls[0]?.[0]).toMatchObject({ err: { code: "ETIMEDOUT" } });
    const before = back.length;
    giveBack = async () => Promise.resolve([]);
    await pass(60_000);
    expect(back.length).toBe(before + 1);
  });

  it("a hundred thousand of which have to go back are so many that nothing more should be begun", async () => {
    for (let n = 1; n < 100_000; n += 1) worker.giveBack({ id: String(n) }, false);
    expect(worker.isFull()).toBe(false);
    worker.giveBack({ id: "the last" }, false);
    expect(worker.isFull()).toBe(true);
    giveBack = async (rows) => Promise.resolve(rows);
    await pass(ownedMs);
    expect(worker.isFull()).toBe(false);
  });

  it("nothing is looked for any more once it has stopped", async () => {
    worker.giveBack({ id: "a" }, true);
    const stopped = worker.stop();
    await pass(10 * ownedMs);
    await stopped;
    expect(back).toEqual([]);
  });
});
