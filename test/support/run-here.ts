import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { root } from "./process.ts";

export interface Done {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let runs = 0;

/**
 * Runs a program of ours to its end in this process, from its source and read anew each time: a process of its own takes ten times the work. `env` is added to the
 * environment. One at a time; what ends by a signal, or is killed, has a process of its own (`startProcess`).
 */
export async function runHere(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = "",
): Promise<Done> {
  const [done, ended] = [{ code: 0, stdout: "", stderr: "" }, new Error("ended")];
  const into = (name: "stdout" | "stderr") =>
    new Writable({ decodeStrings: false, write: (text: string, _encoding, next) => next(void (done[name] += text)) });
  const exit = (code: number): never => {
    process.exitCode = code;
    throw ended;
  };
  const [stdout, stderr] = [into("stdout"), into("stderr")];
  const say = { log: (text: string) => stdout.write(`${text}\n`), error: (text: string) => stderr.write(`${text}\n`) };
  const { exitCode } = process;
  const before = signals.map((signal) => process.listeners(signal));
  const restore = [
    replace(process, { argv: [process.execPath, program, ...args], exit }),
    replace(process, { stdin: Readable.from([Buffer.from(input)]), stdout, stderr }),
    replace(console, say),
    replace(process.env, env),
  ];
  process.exitCode = 0;
  try {
    await import(`${join(root, program)}?run=${(runs += 1)}`).catch((error: unknown) => {
      if (error !== ended) throw error;
    });
    done.code = Number(process.exitCode);
  } finally {
    for (const undo of restore) undo();
    process.exitCode = exitCode;
    for (const [n, signal] of signals.entries())
      for (const listener of process.listeners(signal)) if (before[n]?.includes(listener) !== true) process.off(signal, listener);
  }
  return done;
}

/** Gives an object other members; answers what gives it its own again. */
function replace(object: object, members: Readonly<Record<string, unknown>>): () => void {
  const own = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const);
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  return () => {
    for (const [name, descriptor] of own)
      if (descriptor === undefined) Reflect.deleteProperty(object, name);
      else Object.defineProperty(object, name, descriptor);
  };
}
