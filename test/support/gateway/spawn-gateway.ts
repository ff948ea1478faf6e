import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { defaultTimeLimits, type TimeLimits } from "gateway/time-limits";
import type { CrashPlan } from "./crashing-gateway.ts";
import { masterKey } from "./shop.ts";

export interface GatewayProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
}

export interface SpawnOptions {
  databaseUrl: string;
  platformApiUrl: string;
  inDoubtSeconds?: number | undefined;
  timeLimits?: Partial<TimeLimits> | undefined;
  crash?: CrashPlan["crash"] | undefined;
}

const main = fileURLToPath(new URL("crashing-gateway.ts", import.meta.url));

/** A gateway in a process of its own, which can be killed. */
export async function spawnGateway(options: SpawnOptions): Promise<GatewayProcess> {
  const plan: CrashPlan = {
    config: {
      host: "127.0.0.1",
      port: 0,
      databaseUrl: options.databaseUrl,
      masterKey: masterKey.toString("base64"),
      platformApiUrl: options.platformApiUrl,
      publicGatewayUrl: "http://127.0.0.1",
      maxBodyBytes: 1_048_576,
      inDoubtSeconds: options.inDoubtSeconds ?? 120,
      logLevel: "info",
      trustProxy: false,
      timeLimits: { ...defaultTimeLimits, ...options.timeLimits },
    },
    crash: options.crash ?? null,
  };
  const child = spawn(process.execPath, ["--conditions=source", "--import", "tsx", main, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
  });
  const ended = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout as NodeJS.ReadableStream), "line"),
    ended.then(() => Promise.reject(new Error("the gateway ended before it was up"))),
  ])) as [string];
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => void child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}
