import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServedPlan } from "./served.ts";

/** A server in a process of its own, as a fuzzer sees it. */
export interface ServedApart extends AsyncDisposable {
  url: string;
  port: number;
  isRunning(): boolean;
  /** What it complained of so far: errors that nobody foresaw, warnings of Node. */
  complaints(): string;
  /** Bytes of live objects, after a collection. */
  heap(): Promise<number>;
}

const root = fileURLToPath(new URL("../../../../..", import.meta.url));
const main = fileURLToPath(new URL("served.ts", import.meta.url));

export async function serveApart(plan: ServedPlan): Promise<ServedApart> {
  const child = spawn(process.execPath, ["--expose-gc", "--conditions=source", "--import", "tsx", main, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    cwd: root,
  });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const ended = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout as NodeJS.ReadableStream), "line"),
    ended.then(() => Promise.reject(new Error(`the server ended before it was up: ${complaints}`))),
  ])) as [string];
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    url,
    port: Number(new URL(url).port),
    isRunning,
    complaints: () => complaints,
    heap: async () => {
      child.send("heap");
      const [bytes] = (await once(child, "message")) as [number];
      return bytes;
    },
    [Symbol.asyncDispose]: async () => {
      if (isRunning()) child.kill("SIGKILL");
      await ended;
    },
  };
}
