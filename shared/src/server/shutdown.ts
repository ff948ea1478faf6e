import type { Logger } from "./logger.ts";
import { watchParent } from "./parent-process.ts";

const GRACE_MS = 20_000;
const TERMINAL_SIGNALS = ["SIGINT", "SIGHUP"] as const;

/**
 * Stops the program once, on a signal or when the process that started it is gone: runs `stop` for at most `graceMs`,
 * then exits 0. Call it first thing; what is not yet started when the signal comes is then the business of `stop`.
 */
export const stopOnSignal = (log: Logger, stop: () => Promise<void>, graceMs: number = GRACE_MS): void => {
  let stopping = false;
  const begin = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, "stopping");
    const limit = setTimeout(() => {
      log.warn({ graceMs }, "stopped before everything in flight was finished");
      process.exit(0);
    }, graceMs);
    stop().then(
      () => {
        clearTimeout(limit);
        log.info("stopped");
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => begin("SIGTERM"));
  // Ctrl-C reaches everything in the terminal at once. A part leaves the order of stopping to the parent that started it.
  const isPart = process.connected;
  for (const signal of TERMINAL_SIGNALS) process.on(signal, () => (isPart ? undefined : begin(signal)));
  watchParent(() => begin("the process that started this one is gone"));
};
