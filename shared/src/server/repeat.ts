import type { Logger } from "./logger.ts";

/** Runs `job` again and again, with a pause before each run; the answer stops it and waits for a run under way. */
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
