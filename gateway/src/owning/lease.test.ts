import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createLease, type GatewayLease } from "./lease.ts";

const { leaseMs } = defaultTimeLimits;
const warn = vi.fn<(entry: object, text: string) => void>();
const now = (): number => 1_000_000 + performance.now();

/** The lease as the database has it, renewal by renewal. */
let renewals: { at: number; id: string; seconds: number; since: string }[];
let renewal: () => Promise<[]>;
let lease: GatewayLease;
/** The first of the open events. */
let oldest: string | undefined;

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
  [oldest, renewals] = [undefined, []];
  renewal = async () => Promise.resolve([]);
  const clock = { monotonic: now };
  const log = { warn, debug: () => undefined };
  const context = { config: { timeLimits: defaultTimeLimits }, clock, events, instanceId: "gateway", log };
  lease = createLease(context as unknown as GatewayContext, { oldest: () => oldest });
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

  it("tells of each renewal", async () => {
    const tell = vi.fn<() => void>();
    lease.onRenewed(tell);
    await lease.renew();
    renewal = async () => Promise.reject(new Error("away"));
    await lease.renew().catch(() => undefined);
    expect(tell).toHaveBeenCalledTimes(1);
  });

  it("reaches back to the oldest event that is open; where none is, to this moment", async () => {
    const sinceNow = async () => {
      await lease.renew();
      return renewals.at(-1)?.since ?? "";
    };
    const earlier = await sinceNow();
    oldest = "a";
    expect(await sinceNow()).toBe("a");
    oldest = undefined;
    expect((await sinceNow()) > earlier).toBe(true);
  });
});
