import type { Logger } from "./logger.ts";

export interface RetryOptions {
  /** Whether to try again after this failure. `attempt` is 1 for the first; `pauseMs` would pass before the next. */
  again: (error: unknown, attempt: number, pauseMs: number) => boolean;
  /** Milliseconds before the next attempt; none by default. */
  pauseMs?: ((attempt: number) => number) | undefined;
}

/** Runs `act` until it succeeds, or fails in a way that is not worth another attempt: then throws that error. Costs little while nothing fails. */
export const retry = <T>(act: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> =>
  act(1).catch((error: unknown) => tryAgain(act, options, error));

/** Uses a loop: thousands of results may wait for a database for ten minutes, and a call within a call would keep all of their attempts in memory. */
async function tryAgain<T>(act: (attempt: number) => Promise<T>, { again, pauseMs }: RetryOptions, first: unknown): Promise<T> {
  let error = first;
  for (let attempt = 1; ; attempt += 1) {
    const pause = pauseMs?.(attempt) ?? 0;
    if (!again(error, attempt, pause)) throw error;
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      return await act(attempt + 1);
    } catch (next) {
      error = next;
    }
  }
}

/** 50 ms after the first attempt, twice as long after each that follows, 1 s at most. */
export const doublingPause = (attempt: number): number => Math.min(50 * 2 ** (attempt - 1), 1000);

/** Whether a program is busy: its loops look less often after a quiet time, and at once when something comes. */
export type Pulse = ReturnType<typeof createPulse>;

const quietMs = 10_000;

export function createPulse() {
  let last = performance.now();
  let sleepers = new Set<() => void>();
  return {
    /** Something has come, or waits. */
    stir: (): void => {
      last = performance.now();
      if (sleepers.size === 0) return;
      const woken = sleepers;
      sleepers = new Set();
      for (const wake of woken) wake();
    },
    isQuiet: (): boolean => performance.now() - last > quietMs,
    /** Calls a loop that sleeps longer than usual. */
    onStir: (wake: () => void): void => void sleepers.add(wake),
  };
}

/** The pause of a loop while its program is quiet. */
export interface Rest {
  pulse: Pulse | undefined;
  quietMs: number;
}

/**
 * Runs `job` periodically, with a pause before each run; a failure is logged. The returned function stops it, which the job's signal tells at once, and waits
 * for a run under way.
 */
export function repeat(job: (stopping: AbortSignal) => Promise<unknown>, pauseMs: number, log: Logger, rest?: Rest): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let wake: () => void = () => undefined;
  const wakeNow = (): void => wake();
  const loop = (async () => {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        const isQuiet = rest?.pulse?.isQuiet() === true && rest.quietMs > pauseMs;
        setTimeout(resolve, isQuiet ? rest.quietMs : pauseMs).unref();
        if (isQuiet) rest.pulse?.onStir(wakeNow);
      });
      if (!signal.aborted)
        await job(signal).catch((error: unknown) => log.warn({ err: error }, "a periodic job failed and will be tried again"));
    }
  })();
  return async () => {
    stopping.abort();
    wake();
    await loop;
  };
}
