import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** Time and chance, so that a test can set both. */
export interface Pace {
  /** Milliseconds of a clock that only moves forward; `performance.now()`. */
  now(): number;
  /** From 0 up to but not including 1. */
  random(): number;
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realPace: Pace = {
  now: () => performance.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
