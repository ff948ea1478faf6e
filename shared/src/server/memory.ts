import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookMs = 20_000;
/** A program is quiet while it takes less than this part of a core. */
const quietPart = 0.02;
/** A collection takes some 50 ms: some come after so much work, in milliseconds of a core, and so long after those before. */
const [leastWorkMs, restMs] = [2_000, 180_000];
/** The engine gives empty pages back a collection or two after the one that emptied them. */
const rounds = 3;

/**
 * Collects garbage whenever the program has become quiet after its start or much work: the engine waits for new work, so what a start or a burst has left
 * would stay for hours.
 */
export function collectWhenQuiet(): void {
  let [looked, left, nextAt, enough] = [0, 0, 0, 0];
  setInterval(() => {
    const used = usedMs();
    const isQuiet = used - looked < quietPart * lookMs;
    looked = used;
    if (!isQuiet) return;
    if (used >= enough && performance.now() >= nextAt) left = rounds;
    if (left === 0) return;
    left -= 1;
    collect();
    looked = usedMs();
    [nextAt, enough] = [performance.now() + restMs, looked + leastWorkMs];
  }, lookMs).unref();
}

/** The work of this program so far, in milliseconds of a core. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Pages that are mostly empty are emptied into others and given back, which the engine does for programs that are to stay small. */
function collect(): void {
  const small = "--optimize-for-size";
  setFlagsFromString("--expose-gc");
  setFlagsFromString(small);
  (runInNewContext("gc") as () => void)();
  if (!process.execArgv.includes(small)) setFlagsFromString("--no-optimize-for-size");
}
