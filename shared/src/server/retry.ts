import type { Logger } from "./logger.ts";

export interface RetryOptions {
  /** Whether to try again after this failure. `attempt` is 1 for the first; `pauseMs` would pass before the next. */
  again: (error: unknown, attempt: number, pauseMs: number) => boolean;
  /** Milliseconds before the next attempt; none by default. */
  pauseMs?: ((attempt: number) => number) | undefined;
}

/** Runs `act` until it succeeds, or fails in a way that is not worth another attempt: then throws that error. Costs little where nothing fails. */
export const retry = <T>(act: (attempt: number) => Promise<T>, options: RetryOptions, attempt = 1): Promise<T> =>
  act(attempt).catch(async (error: unknown) => {
    const pause = options.pauseMs?.(attempt) ?? 0;
    if (!options.again(error, attempt, pause)) throw error;
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    return await retry(act, options, attempt + 1);
  });

/** 50 ms after the first attempt, twice as long after each that follows, 1 s at most. */
export const doublingPause = (attempt: number): number => Math.min(50 * 2 ** (attempt - 1), 1000);

/** Runs `job` periodically, with a pause before each run; a failure is logged. The answer stops it and waits for a run under way. */
export function repeat(job: () => Promise<unknown>, pauseMs: number, log: Logger): () => Promise<void> {
  let stopped = false;
  let wake: () => void = () => undefined;
  const loop = (async () => {
    while (!stopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pauseMs).unref();
      });
      if (!stopped) await job().catch((error: unknown) => log.warn({ err: error }, "a periodic job failed and will be tried again"));
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await loop;
  };
}
