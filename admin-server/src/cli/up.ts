import { createLogger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { readStartConfig } from "./config.ts";
import { Disposers, startAll } from "./start.ts";

// Longer than a part may take to finish what is in flight.
const STOP_MS = 60_000;

await runMain(async () => {
  const config = readStartConfig();
  const log = createLogger("start", config.logLevel);
  const running = new Disposers();
  stopOnSignal(log, async () => running.dispose(), STOP_MS);
  try {
    await startAll(config, log, running);
  } catch (error) {
    // A signal that came in between ended what the start was waiting for; whoever handles it also exits.
    if (running.stopping.aborted) return;
    await running.dispose();
    throw error;
  }
});
