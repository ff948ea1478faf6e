import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { createPulse, repeat, retry } from "./retry.ts";

/** Fails so many times, then succeeds. */
const failing = (times: number) => async (attempt: number) => {
  if (attempt <= times) throw new Error(`failed ${attempt}`);
  return `succeeded ${attempt}`;
};

test("what fails is tried again for as long as it is worth it, and then throws its last error", async () => {
  const asked: unknown[] = [];
  const again = (error: unknown, attempt: number, pauseMs: number): boolean => {
    asked.push([(error as Error).message, attempt, pauseMs]);
    return attempt < 3;
  };
  expect(await retry(failing(2), { again, pauseMs: (attempt) => attempt })).toBe("succeeded 3");
  expect(asked).toEqual([
    ["failed 1", 1, 1],
    ["failed 2", 2, 2],
  ]);
  await expect(retry(failing(3), { again })).rejects.toThrow("failed 3");
});

test("earlier attempts are over: success is known as soon after a thousand failures as after one", async () => {
  /** Turns of the queue of promises between the success and its news. */
  const turnsAfter = async (failures: number): Promise<number> => {
    let turns = 0;
    let isKnown = false;
    const count = async (): Promise<void> => {
      for (; !isKnown; turns += 1) await Promise.resolve();
    };
    const act = async (attempt: number): Promise<void> => {
      await failing(failures)(attempt);
      void count();
    };
    await retry(act, { again: () => true }).then(() => (isKnown = true));
    return turns;
  };
  expect(await turnsAfter(1_000)).toBe(await turnsAfter(1));
});

test("a loop looks less often while its program is quiet, and at once when something comes", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const pulse = createPulse();
    const job = vi.fn<() => Promise<void>>(async () => Promise.resolve());
    const stop = repeat(job, 100, pino({ level: "silent" }), { pulse, quietMs: 5_000 });
    const runsWithin = async (ms: number): Promise<number> => {
      job.mockClear();
      await vi.advanceTimersByTimeAsync(ms);
      return job.mock.calls.length;
    };
    expect(await runsWithin(10_000)).toBeGreaterThan(90);
    expect(await runsWithin(20_000)).toBeLessThan(6);
    pulse.stir();
    expect(await runsWithin(1)).toBe(1);
    expect(await runsWithin(5_000)).toBeGreaterThan(45);
    await stop();
  } finally {
    vi.useRealTimers();
  }
});
