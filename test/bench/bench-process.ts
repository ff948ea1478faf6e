import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface BenchProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** CPU seconds used so far, user and system; NaN where /proc is not to be had. */
  cpuSeconds(): number;
  /** Resident megabytes. */
  residentMegabytes(): number;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const canPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0;
const ticksPerSecond = 100;

/**
 * Starts a server of the benchmark in a process of its own and waits for the line that names its URL. A TypeScript file runs from source, a built
 * one as in production. With `core`, it is pinned there if the machine can.
 */
export async function startProcess(
  file: string,
  env: Record<string, string>,
  options: { core?: number; urlOf?: (line: string) => string | null } = {},
): Promise<BenchProcess> {
  const { core, urlOf = (line) => line } = options;
  const loader = file.endsWith(".ts") ? ["--conditions=source", "--import", "tsx"] : [];
  const command = [
    ...(core !== undefined && canPin ? ["taskset", "-c", String(core)] : []),
    process.execPath,
    ...loader,
    fileURLToPath(new URL(file, import.meta.url)),
  ];
  const child = spawn(command[0] ?? "", command.slice(1), {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const pid = child.pid ?? 0;
  const ended = once(child, "exit");
  const url = await firstUrl(createInterface(child.stdout as NodeJS.ReadableStream), urlOf, ended);
  return {
    url,
    pid,
    cpuSeconds: () => cpuSeconds(pid),
    residentMegabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? NaN) / 1024,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function firstUrl(lines: AsyncIterable<string>, urlOf: (line: string) => string | null, ended: Promise<unknown>): Promise<string> {
  const found = (async () => {
    for await (const line of lines) {
      const url = urlOf(line);
      if (url !== null) return url;
    }
    throw new Error("a benchmarked process said nothing");
  })();
  return await Promise.race([found, ended.then(() => Promise.reject(new Error("a benchmarked process ended before it was up")))]);
}

function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return NaN;
  }
}
