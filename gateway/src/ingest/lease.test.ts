import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createLease, type GatewayLease } from "./lease.ts";

const { leaseMs } = defaultTimeLimits;
const warn = vi.fn<(entry: object, text: string) => void>();
const now = (): number => 1_000_000 + performance.now();

/** The ids that the database has got. */
let stored: string[];
/** The parameters of each look for given-up events. */
let looks: { sites: string[]; ids: string[]; owner: string; unsent: string[] }[];
let answer: () => Promise<{ id: string }[]>;
/** The lease as the database has it, renewal by renewal. */
let renewals: { at: number; id: string; seconds: number; since: string }[];
let renewal: () => Promise<[]>;
let lease: GatewayLease;

const sql = async (_: TemplateStringsArray, sites: string[], ids: string[], owner: string, unsent: string[]) => {
  looks.push({ sites, ids, owner, unsent });
  return answer();
};
/** The only part of a statement among the renewal's parameters is the one with the seconds. */
const events = (strings: TemplateStringsArray, ...values: unknown[]) => {
  if (!strings.join("").includes("insert into gateway")) return values[0];
  const [id, seconds, since] = values as [string, number, string];
  renewals.push({ at: performance.now(), id, seconds, since });
  return renewal();
};

beforeEach(() => {
  // Not the date: ids must not run ahead of it in what the same process tests afterwards.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }).clearAllMocks();
  [stored, looks, renewals] = [[], [], []];
  answer = async () => Promise.resolve(stored.map((id) => ({ id })));
  renewal = async () => Promise.resolve([]);
  const clock = { monotonic: now };
  const log = { warn, debug: () => undefined };
  const context = { config: { timeLimits: defaultTimeLimits }, clock, events, sql, instanceId: "gateway", log };
  lease = createLease(context as unknown as GatewayContext);
});
afterEach(async () => {
  renewal = async () => Promise.resolve([]);
  await lease.stop();
  vi.useRealTimers();
});

const seconds = async (n: number) => vi.advanceTimersByTimeAsync(n * 1_000);

describe("a gateway's lease", () => {
  it("begins with the first renewal, and counts from before its statement", async () => {
    expect(lease.endsAt).toBe(0);
    renewal = async () => new Promise((resolve) => setTimeout(() => resolve([]), 400));
    const end = now() + leaseMs;
    const renewed = lease.renew();
    await vi.advanceTimersByTimeAsync(400);
    await renewed;
    expect(lease.endsAt).toBe(end);
    expect(renewals).toMatchObject([{ id: "gateway", seconds: leaseMs / 1000 }]);
  });

  it("is renewed ten times while it lasts, also after a renewal that failed, and ends at once when the gateway stops", async () => {
    await lease.renew();
    const end = lease.endsAt;
    renewal = async () => Promise.reject(new Error("away"));
    await seconds(2);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(lease.endsAt).toBe(end);
    renewal = async () => Promise.resolve([]);
    await seconds(4);
    expect(renewals.map(({ at }) => at)).toEqual([0, 2_000, 4_000, 6_000]);
    expect(lease.endsAt).toBe(end + 6_000);
    await lease.stop();
    expect(renewals.at(-1)).toMatchObject({ seconds: 0 });
    await seconds(10);
    expect(renewals).toHaveLength(5);
  });

  it("reaches back to the oldest event that is open; where none is, to this moment", async () => {
    const sinceNow = async () => {
      await lease.renew();
      return renewals.at(-1)?.since ?? "";
    };
    const earlier = await sinceNow();
    for (const id of ["a", "b", "c"]) lease.open(id);
    expect(await sinceNow()).toBe("a");
    lease.close("b");
    expect(await sinceNow()).toBe("a");
    lease.close("a");
    expect(await sinceNow()).toBe("c");
    lease.close("c");
    expect((await sinceNow()) > earlier).toBe(true);
  });

  it("keeps an event that was given up open until it is found, or never will be", async () => {
    for (const id of ["a", "b"]) {
      lease.open(id);
      lease.giveBack({ site_id: "site", id, unsent: false });
    }
    await seconds(2);
    expect(renewals.at(-1)?.since).toBe("a");
    stored = ["a"];
    await seconds(2);
    expect(renewals.at(-1)?.since).toBe("b");
    await seconds(20);
    expect(renewals.at(-1)?.since).not.toBe("b");
    expect(looks[0]?.unsent).toEqual([]);
  });
});

describe("events that were given up", () => {
  const give = (id: string) => lease.giveBack({ site_id: `site of ${id}`, id, unsent: true });

  it("nothing is asked for while nothing was given up", async () => {
    await seconds(5);
    expect(looks).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
  });

  it("what was given up is looked for every second, all in one statement, until it is found", async () => {
    give("a");
    give("b");
    await vi.advanceTimersByTimeAsync(999);
    expect(looks).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toEqual([{ sites: ["site of a", "site of b"], ids: ["a", "b"], owner: "gateway", unsent: ["a", "b"] }]);
    stored = ["a"];
    await seconds(1);
    stored = ["b"];
    await seconds(1);
    expect(looks.map(({ ids }) => ids)).toEqual([["a", "b"], ["a", "b"], ["b"]]);
    await seconds(5);
    expect(looks).toHaveLength(3);
  });

  it("what is not there after twenty looks is not looked for any more", async () => {
    give("a");
    await seconds(1);
    give("b");
    await seconds(30);
    expect(looks.filter(({ ids }) => ids.includes("a"))).toHaveLength(20);
    expect(looks.filter(({ ids }) => ids.includes("b"))).toHaveLength(20);
    expect(looks).toHaveLength(21);
  });

  it("a look that the database does not answer in five seconds, or refuses, counts for nothing", async () => {
    answer = async () => new Promise(() => undefined);
    give("a");
    await vi.advanceTimersByTimeAsync(5_999);
    expect(warn).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(warn.mock.calls[0]?.[0]).toMatchObject({ err: { code: "ETIMEDOUT" } });
    answer = async () => Promise.reject(new Error("away"));
    await seconds(1);
    expect(warn.mock.calls[1]?.[0]).toMatchObject({ err: { message: "away" } });
    answer = async () => Promise.resolve([]);
    await seconds(30);
    expect(looks).toHaveLength(22);
  });

  it("a thousand are looked for at once, the others after them, and a hundred thousand in all", async () => {
    for (let i = 0; i <= 100_000; i += 1) give(String(i));
    await seconds(1);
    answer = async () => Promise.resolve((looks.at(-1)?.ids ?? []).map((id) => ({ id })));
    await seconds(110);
    expect(looks).toHaveLength(101);
    expect(looks.every(({ ids }) => ids.length === 1_000)).toBe(true);
    expect([looks[0]?.ids[0], looks[1]?.ids[0], looks[99]?.ids.at(-1), looks[100]?.ids[0]]).toEqual(["0", "1000", "99999", "0"]);
  });

  it("nothing is looked for any more once it has stopped", async () => {
    give("a");
    await lease.stop();
    await seconds(5);
    expect(looks).toEqual([]);
  });
});
