import { type ChildProcess, fork } from "node:child_process";
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { postgresFiles } from "shared/postgres/files";
import { ConfigurationError } from "shared/server/configuration-error";
import { stateOfFileLock } from "shared/server/file-lock";
import { dialable, listen, PortTaken } from "shared/server/http-server";
import type { Logger } from "shared/server/logger";
import type { StartConfig } from "./config.ts";

/** Where each program of a start is reached from this machine; `sandbox` is null when the platform is the real one. */
export interface Addresses {
  readonly gateway: string;
  readonly admin: string;
  readonly sandbox: string | null;
}

export interface PartsInput {
  readonly ports: Ports;
  readonly addresses: Addresses;
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly setupCode: string;
}

export const addressesOf = (config: StartConfig, ports: Ports): Addresses => {
  const at = (port: number): string => `http://${dialable(config.host)}:${port}`;
  return { gateway: at(ports.gateway), admin: at(ports.admin), sandbox: ports.sandbox === null ? null : at(ports.sandbox) };
};

/** The programs of a start: each group may start at once and stop at once, when the one before it serves and still serves. */
export const partsOf = ({ ports, addresses, databaseUrl, masterKey, setupCode }: PartsInput): Part[][] => {
  const env = {
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    MASTER_KEY: masterKey,
    GATEWAY_PORT: String(ports.gateway),
    ADMIN_PORT: String(ports.admin),
    SANDBOX_PORT: ports.sandbox === null ? undefined : String(ports.sandbox),
  };
  const gateway = { name: "gateway", file: program("gateway/dist/main.js"), env, readyUrl: `${addresses.gateway}/api/public/ready` };
  const admin = {
    name: "admin server",
    file: program("admin-server/dist/main.js"),
    env: { ...env, SETUP_CODE: setupCode },
    readyUrl: `${addresses.admin}/healthz`,
  };
  if (addresses.sandbox === null) return [[gateway, admin]];
  const sandbox = {
    name: "sandbox",
    file: program("shared/dist/sandbox/main.js"),
    env,
    readyUrl: `${addresses.sandbox}/_sandbox/messages`,
  };
  return [[sandbox], [gateway, admin]];
};

// The same three folders up from the sources and from what is built of them.
const program = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

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

interface Ports {
  readonly gateway: number;
  readonly admin: number;
  /** Null when the platform is the real one. */
  readonly sandbox: number | null;
}

/** How long the parts of another start may need to go, by what its lock says: it is gone or never was, it was killed, it may be stopping. */
const WAIT_MS = { free: 3_000, abandoned: 25_000, held: 10_000 } as const;

/** The ports to listen on, each found free on HOST; 0 becomes a free one. Throws a `ConfigurationError` that names the variable of one that stays taken. */
export const waitForPorts = async (config: StartConfig): Promise<Ports> => {
  const wait = WAIT_MS[stateOfFileLock(postgresFiles(config.dataDir).lock)];
  for (const deadline = performance.now() + wait; ; await sleep(100)) {
    try {
      return await findPorts(config);
    } catch (error) {
      if (!(error instanceof PortTaken) || performance.now() > deadline) throw error;
    }
  }
};

const findPorts = async (config: StartConfig): Promise<Ports> => {
  const { host, gatewayPort, adminPort, sandboxPort, platformApiUrl } = config;
  // All held until all are known, so that no free one is given out twice.
  await using gateway = await listen(refuse, { host, port: gatewayPort, portVariable: "GATEWAY_PORT" });
  await using admin = await listen(refuse, { host, port: adminPort, portVariable: "ADMIN_PORT" });
  await using sandbox =
    platformApiUrl === undefined ? await listen(refuse, { host, port: sandboxPort, portVariable: "SANDBOX_PORT" }) : null;
  return { gateway: gateway.port, admin: admin.port, sandbox: sandbox?.port ?? null };
};

const refuse: RequestListener = (_request, response) => void response.writeHead(503).end();
