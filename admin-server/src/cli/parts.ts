import { fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { get, type RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { postgresFiles } from "shared/postgres/files";
import { ConfigurationError } from "shared/server/configuration-error";
import { stateOfFileLock } from "shared/server/file-lock";
import { dialable, listen, metricsAddress, PortTaken } from "shared/server/http-server";
import type { Logger } from "shared/server/logger";
import { retry } from "shared/server/retry";
import type { StartConfig } from "./config.ts";

export interface PartsInput {
  readonly ports: Ports;
  readonly addresses: Addresses;
  readonly databaseUrl: string;
  readonly masterKey: Buffer;
  readonly masterKeyOld?: Buffer | undefined;
  readonly setupCode: string;
  /** The gateway's; the admin server's is one above. */
  readonly metricsPort?: number | undefined;
  readonly sandboxSecrets: SandboxSecrets;
}

export type SandboxSecrets = ReturnType<typeof sandboxSecretsOf>;

/** The secrets that the sandbox is started with: those of the configuration, else the key (base64) that the database keeps for it, and a token made from that, the same at every start. */
export function sandboxSecretsOf({ sandboxKey, sandboxControlToken }: StartConfig, keptKey: Buffer) {
  const derive = (purpose: string): Buffer => createHmac("sha256", keptKey).update(purpose).digest();
  return {
    key: (sandboxKey ?? keptKey).toString("base64"),
    controlToken: sandboxControlToken ?? derive("tidings sandbox control token").toString("base64url"),
  };
}

export type Addresses = ReturnType<typeof addressesOf>;

/** Base URLs of the programs, as seen from this machine. `isPlatform`: the sandbox stands for the platform too, not for test sites alone. */
export function addressesOf(config: StartConfig, ports: Ports) {
  const at = (port: number): string => `http://${dialable(config.host)}:${port}`;
  return {
    gateway: at(ports.gateway),
    admin: at(ports.admin),
    sandbox: at(ports.sandbox),
    isPlatform: config.platformApiUrl === undefined,
  };
}

/** The programs of a start, in groups: a group starts together once the group before it serves, and stops together before that one does. */
export function partsOf({ ports, addresses, sandboxSecrets, metricsPort, ...given }: PartsInput): Part[][] {
  const env = {
    NODE_ENV: "production",
    ...smallHeaps,
    DATABASE_URL: given.databaseUrl,
    MIGRATE_DATABASE_URL: undefined,
    MASTER_KEY: given.masterKey.toString("base64"),
    MASTER_KEY_OLD: given.masterKeyOld?.toString("base64"),
    SANDBOX_KEY: undefined,
    SANDBOX_CONTROL_TOKEN: undefined,
    GATEWAY_PORT: String(ports.gateway),
    ADMIN_PORT: String(ports.admin),
    SANDBOX_PORT: String(ports.sandbox),
    SANDBOX_URL: addresses.sandbox,
  };
  const gateway = {
    name: "gateway",
    file: program("gateway/dist/main.js"),
    nodeOptions: gatewayOptions,
    // It reads requests into such pieces, and would ask the system for each.
    env: { ...env, MALLOC_MMAP_THRESHOLD_: undefined },
    readyUrl: `${addresses.gateway}/api/public/ready`,
  };
  const admin = {
    name: "admin server",
    file: program("admin-server/dist/main.js"),
    nodeOptions: [...smallOptions, "--v8-pool-size=1"],
    env: {
      ...env,
      ...(metricsPort && { METRICS_PORT: String(metricsPort + 1) }),
      SETUP_CODE: given.setupCode,
      SANDBOX_CONTROL_TOKEN: sandboxSecrets.controlToken,
    },
    readyUrl: `${addresses.admin}/readyz`,
  };
  const sandbox = {
    name: "sandbox",
    file: program("shared/dist/sandbox/main.js"),
    nodeOptions: [...smallOptions, "--optimize-for-size", "--v8-pool-size=1"],
    env: { ...env, ...serviceSecrets, SANDBOX_KEY: sandboxSecrets.key, SANDBOX_CONTROL_TOKEN: sandboxSecrets.controlToken },
    readyUrl: `${addresses.sandbox}/_sandbox/ready`,
  };
  return [[sandbox], [gateway, admin]];
}

/** The options of `npm run gateway`. Requests under way fill a quarter of the usual young generation, which each collection copies: twice the room, half as often. */
const gatewayOptions = ["--max-semi-space-size=32"];
/** Parts with little to do at a time stay small, at the price of more frequent collections under load. */
const smallOptions = ["--max-semi-space-size=2"];

/** For glibc, which otherwise keeps what each thread has freed: some megabytes a program. */
const smallHeaps = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
  // What the engine needs to compile a module comes in pieces of 16 KB and more: apart from the heap, each goes back at once.
  MALLOC_MMAP_THRESHOLD_: "16384",
};

/** The sandbox stands for a foreign company, so it gets nothing that opens the service. */
const serviceSecrets = Object.fromEntries(
  ["MASTER_KEY", "MASTER_KEY_OLD", "ADMIN_EMAIL", "ADMIN_PASSWORD", "SETUP_CODE", "OIDC_CLIENT_SECRET"].map((name) => [name, undefined]),
);

/** Sources and build are equally deep, so one relative path serves both. */
const program = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

/** Those of `npm start` itself, which only waits: see package.json. */
const startOptions = ["--optimize-for-size", "--max-semi-space-size=1", "--v8-pool-size=1"];

/** A part has 20 s to finish what is in flight. */
const stopMs = 22_000;
const firstDelayMs = 500;
const longestDelayMs = 10_000;
const healthyMs = 30_000;

/** One of the programs that `npm start` runs. */
export interface Part {
  readonly name: string;
  readonly file: URL;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Answers 200 when the part can serve. */
  readonly readyUrl: string;
}

/** Takes the output of a part, in pieces of any size. */
export type PartOutput = Readonly<Record<"stdout" | "stderr", (piece: string) => void>>;

/**
 * A part that is restarted whenever it dies. Abort `stopping` before disposing it. `output` makes the output of each run; null: the part writes to this process's own output. After `stopping` is aborted a part that ends is not
 * restarted: the signal may have reached it too.
 */
export function startPart(part: Part, log: Logger, stopping: AbortSignal, output: (() => PartOutput) | null) {
  let current = run(part, output);
  let supervised = Promise.resolve();
  const supervise = async (): Promise<void> => {
    for (let failures = 0; ; failures += 1) {
      const since = performance.now();
      const end = await current.ended;
      if (stopping.aborted) return;
      if (performance.now() - since > healthyMs) failures = 0;
      const delayMs = Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
      log.error({ part: part.name, ...end, delayMs }, "a part ended unexpectedly and is started again");
      await sleep(delayMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return;
      current = run(part, output);
    }
  };
  return {
    /** Throws a `ConfigurationError` when its first run ends before it serves; the part has logged why. */
    untilReady: async (): Promise<void> => {
      await waitUntilReady(part, current, stopping);
      supervised = supervise();
    },
    [Symbol.asyncDispose]: async () => {
      await stop(current);
      await supervised;
    },
  };
}

type Run = ReturnType<typeof run>;

/** The IPC channel carries nothing: it closes however this process dies, and that stops the child. */
function run(part: Part, output: (() => PartOutput) | null) {
  const to = output === null ? "inherit" : "pipe";
  const child = fork(fileURLToPath(part.file), {
    execArgv: [...process.execArgv.filter((one) => !startOptions.includes(one)), ...(part.nodeOptions ?? [])],
    env: { ...process.env, ...part.env },
    stdio: ["ignore", to, to, "ipc"],
  });
  const taken = output?.();
  if (taken !== undefined) {
    child.stdout?.setEncoding("utf8").on("data", taken.stdout);
    child.stderr?.setEncoding("utf8").on("data", taken.stderr);
  }
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return { child, ended };
}

async function waitUntilReady(part: Part, { child, ended }: Run, stopping: AbortSignal): Promise<void> {
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  while (!isOver() && !stopping.aborted) {
    if (await answers(part.readyUrl)) return;
    await Promise.race([ended, sleep(50)]);
  }
  if (!stopping.aborted) throw new ConfigurationError([`the ${part.name} could not be started; the line above says why`]);
}

/** By `node:http`, which is loaded anyway: `fetch` would stay in memory for good. */
const answers = async (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { timeout: 2_000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
  });

async function stop({ child, ended }: Run): Promise<void> {
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await ended;
  clearTimeout(force);
}

/** How long another start may take to release its ports, by the state of its lock: none, left by a killed start, held by a start that may be stopping. */
const waitMs = { free: 3_000, abandoned: 25_000, held: 10_000 } as const;

/** Ports that are free on HOST; 0 becomes any free one. Throws a `ConfigurationError` that names the variable of a port that stays taken. */
export async function waitForPorts(config: StartConfig): Promise<Ports> {
  const deadline = performance.now() + waitMs[stateOfFileLock(postgresFiles(config.dataDir).lock)];
  return await retry(() => findPorts(config), {
    again: (error) => error instanceof PortTaken && performance.now() <= deadline,
    pauseMs: () => 100,
  });
}

type Ports = Awaited<ReturnType<typeof findPorts>>;

async function findPorts(config: StartConfig) {
  const { host, gatewayPort, adminPort, sandboxPort, metricsPort, metricsHost } = config;
  const listenForMetrics = async (port: number) => (metricsPort ? listen(refuse, { ...metricsAddress(metricsHost), port }) : null);
  // All ports are held until the last is found, so that none is given out twice.
  await using gateway = await listen(refuse, { host, port: gatewayPort, portVariable: "GATEWAY_PORT" });
  await using admin = await listen(refuse, { host, port: adminPort, portVariable: "ADMIN_PORT" });
  await using sandbox = await listen(refuse, { host, port: sandboxPort, portVariable: "SANDBOX_PORT" });
  await using _gatewayMetrics = await listenForMetrics(metricsPort ?? 0);
  await using _adminMetrics = await listenForMetrics((metricsPort ?? 0) + 1);
  return { gateway: gateway.port, admin: admin.port, sandbox: sandbox.port };
}

const refuse: RequestListener = (_request, response) => void response.writeHead(503).end();

/** Things to stop, last one first, also those added while stopping. Each is stopped, whatever the others throw. */
export class Disposers {
  readonly #stack: AsyncDisposable[] = [];
  readonly #stopping = new AbortController();
  #disposing: Promise<void> | undefined;

  /** Aborted as soon as disposing begins. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Takes something that is still starting: it is stopped once it has started. A failed start needs no stopping. */
  async add<T extends AsyncDisposable>(starting: T | Promise<T>): Promise<T> {
    const pending = Promise.resolve(starting);
    this.#stack.push({ [Symbol.asyncDispose]: async () => (await pending.catch(() => undefined))?.[Symbol.asyncDispose]() });
    return pending;
  }

  async dispose(): Promise<void> {
    this.#stopping.abort();
    return (this.#disposing ??= this.#disposeAll());
  }

  async #disposeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let next = this.#stack.pop(); next !== undefined; next = this.#stack.pop()) {
      try {
        await next[Symbol.asyncDispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, "stopping failed");
  }
}
