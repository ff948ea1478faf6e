import { createInFlight } from "shared/platform/client";
import { afterEach, expect, it, vi } from "vitest";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createQueue } from "./queue.ts";

afterEach(() => void vi.useRealTimers());

/** How often the queue looks whether there is room, for each of so many accounts whose messages are due, in ten seconds in which nothing becomes free. */
async function looksPerAccount(accounts: number): Promise<number> {
  let looks = 0;
  const counted = <T>(value: T): T => {
    looks += 1;
    return value;
  };
  const nothing = (): void => undefined;
  const inFlight = { ...createInFlight(), reserve: () => counted(false) };
  const pace = { room: () => counted(Infinity), onFreed: nothing };
  const lease = {
    onRenewed: nothing,
    get endsAt() {
      return counted(Infinity);
    },
  };
  const sites = { peek: (id: string) => ({ id }) as SiteConfig };
  const context = {
    sql: async () => Promise.resolve([]),
    clock: { monotonic: () => performance.now() },
    config: { timeLimits: { ...defaultTimeLimits, dueMs: 1e9 } },
    log: { warn: nothing },
    instanceId: "gateway",
  };
  const queue = createQueue(
    context as unknown as GatewayContext,
    { sites, inFlight, lease, pace } as unknown as Parameters<typeof createQueue>[1],
  );
  for (let n = 0; n < accounts; n += 1) queue.signal({ site_id: `site ${n}`, account_id: `account ${n}` });
  await vi.advanceTimersByTimeAsync(10_000);
  const stopped = queue.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  await stopped;
  return looks / accounts;
}

it("accounts without room cost nothing while they wait, however many there are", async () => {
  vi.useFakeTimers();
  const few = await looksPerAccount(100);
  expect(few).toBeLessThan(5);
  expect(await looksPerAccount(4_000)).toBeLessThan(1.1 * few);
});
