import type { BindingToPlan } from "shared/core/plan";
import { createLogger } from "shared/server/logger";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { GatewayConfig } from "../config.ts";
import { type GatewayContext, systemClock } from "../context.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createNotes } from "./notes.ts";

interface Written {
  id: string;
  at: string;
}

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") }));
afterEach(() => void vi.useRealTimers());

function open() {
  const written: Written[][] = [];
  let isAway = false;
  const sql = async (_: TemplateStringsArray, uses: string) => {
    if (isAway) throw new Error("away");
    written.push(JSON.parse(uses) as Written[]);
    return Promise.resolve([]);
  };
  const config = { timeLimits: defaultTimeLimits } as GatewayConfig;
  const context = { sql, log: createLogger("test", "silent"), clock: systemClock, config, instanceId: "gateway" };
  const notes = createNotes(context as unknown as GatewayContext);
  return { notes, written, away: (value: boolean) => void (isAway = value), note: (...ids: string[]) => notes.used(ids, new Date()) };
}

it("writes each once a minute at most", async () => {
  const { written, note } = open();
  for (let second = 0; second < 180; second += 1) {
    note("key", "secret");
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(written.map((uses) => uses.map(({ id, at }) => `${id} ${at.slice(14, 19)}`))).toEqual([
    ["key 00:00", "secret 00:00"],
    ["key 01:00", "secret 01:00"],
    ["key 02:00", "secret 02:00"],
  ]);
});

it("goes on when the clock is set back", async () => {
  const { written, note } = open();
  note("key");
  await vi.advanceTimersByTimeAsync(1_000);
  vi.setSystemTime(Date.parse("2025-12-31T00:00:00Z"));
  await vi.advanceTimersByTimeAsync(60_000);
  note("key");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toHaveLength(2);
});

it("writes when a binding fired and when its conditions were unmet as one row, once an hour each, and anew after each change", async () => {
  const { notes, written } = open();
  const judgedAs = (version: string) =>
    [true, false].map((fires) => ({
      binding: { id: "b", version } as BindingToPlan,
      unmet: fires ? null : { match: "all" as const, rules: [], more: 0 },
      timing: null,
    }));
  const judged = judgedAs("1");
  for (let second = 0; second < 10; second += 1) {
    notes.judged(judged, new Date());
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const at = "2026-01-01T00:00:00.000Z";
  expect(written).toEqual([[{ binding_id: "b", fired_at: at, held_at: at }]]);
  // What fires never again since a change is told by its uses since then.
  notes.judged(judgedAs("2"), new Date());
  await vi.advanceTimersByTimeAsync(1_000);
  const later = "2026-01-01T00:00:10.000Z";
  expect(written[1]).toEqual([{ binding_id: "b", fired_at: later, held_at: later }]);
});
