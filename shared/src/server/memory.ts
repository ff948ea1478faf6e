import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookMs = 20_000;
/** A program is quiet while it takes less than this part of a core. */
const quietPart = 0.02;
/** A collection takes some 50 ms: it comes after so much work, in milliseconds of a core, and so long after the one before. */
const [leastWorkMs, restMs] = [1_000, 180_000];

/**
 * Collects garbage whenever the program has become quiet after work: the engine waits for new work, so what a start or a burst has left would stay for
 * hours.
 */
export function collectWhenQuiet(): void {
  let [looked, collected, nextAt] = [0, 0, 0];
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const used = (user + system) / 1_000;
    const isQuiet = used - looked < quietPart * lookMs;
    looked = used;
    if (!isQuiet || used - collected < leastWorkMs || performance.now() < nextAt) return;
    nextAt = performance.now() + restMs;
    collect();
    collected = used;
  }, lookMs).unref();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
