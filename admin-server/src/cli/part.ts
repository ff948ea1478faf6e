import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ConfigurationError } from "shared/server/configuration-error";
import type { Logger } from "shared/server/logger";

/** A part has 20 s to finish what is in flight. */
const STOP_MS = 22_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
const HEALTHY_MS = 30_000;

/** One of the programs that `npm start` runs. */
export interface Part {
  readonly name: string;
  readonly file: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Answers 200 when the part can serve. */
  readonly readyUrl: string;
}

/** A part that is started again whenever it dies. Disposing it, which takes an aborted `stopping`, stops it. */
export interface RunningPart extends AsyncDisposable {
  /** Waits until it can serve. Throws a `ConfigurationError` when its first run ends before; it has said itself why. */
  readonly untilReady: () => Promise<void>;
}

/** `stopping` is aborted when everything stops: a part that ends then, because a signal reached it too, is not started again. */
export const startPart = (part: Part, log: Logger, stopping: AbortSignal): RunningPart => {
  let current = run(part);
  let supervised = Promise.resolve();
  const supervise = async (): Promise<void> => {
    for (let failures = 0; ; failures += 1) {
      const since = performance.now();
      const end = await current.ended;
      if (stopping.aborted) return;
      if (performance.now() - since > HEALTHY_MS) failures = 0;
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
      log.error({ part: part.name, ...end, delayMs }, "a part ended unexpectedly and is started again");
      await sleep(delayMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return;
      current = run(part);
    }
  };
  return {
    untilReady: async () => {
      await waitUntilReady(part, current, stopping);
      supervised = supervise();
    },
    [Symbol.asyncDispose]: async () => {
      await stop(current);
      await supervised;
    },
  };
};

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

// The channel to the child is never used: it closes when we die in whatever way, and the child stops then.
const run = (part: Part): Run => {
  const child = fork(fileURLToPath(part.file), { env: { ...process.env, ...part.env }, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return { child, ended };
};

const waitUntilReady = async (part: Part, { child, ended }: Run, stopping: AbortSignal): Promise<void> => {
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  while (!isOver() && !stopping.aborted) {
    if (await answers(part.readyUrl)) return;
    await Promise.race([ended, sleep(50)]);
  }
  if (!stopping.aborted) throw new ConfigurationError([`the ${part.name} could not be started; the line above says why`]);
};

const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
};

const stop = async ({ child, ended }: Run): Promise<void> => {
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(force);
};
