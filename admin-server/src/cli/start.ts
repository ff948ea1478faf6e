import { randomBytes } from "node:crypto";
import { startPostgres } from "shared/postgres/start";
import type { Logger } from "shared/server/logger";
import { type StartConfig, prepareDatabase, keptMasterKey } from "./config.ts";
import { makeDemo, beginTryOut, type TryOut, type DemoShop, type Login, pasteBlock } from "./demo.ts";
import { type Part, startPart, type Addresses, addressesOf, partsOf, waitForPorts } from "./parts.ts";

// An earlier start that is about to end may still have the data folder.
const WAIT_MS = 10_000;

/** Starts everything, tells where it is, and sets up the try-out if this is one. What it started is in `running`, also when it throws. */
export const startAll = async (config: StartConfig, log: Logger, running: Disposers): Promise<void> => {
  const ports = await waitForPorts(config);
  const tryOut = await beginTryOut(config);
  const { databaseUrl, masterKey } = await openDatabase(config, log, running);
  const { hasUsers } = await prepareDatabase(databaseUrl);
  const setupCode = config.setupCode ?? randomBytes(6).toString("hex");
  const addresses = addressesOf(config, ports);
  for (const group of partsOf({ ports, addresses, databaseUrl, masterKey, setupCode })) {
    if (running.stopping.aborted) return;
    await startGroup(group, log, running);
  }
  if (running.stopping.aborted) return;
  const isSignUpOpen = !hasUsers && tryOut === null && config.adminEmail === undefined;
  process.stdout.write(runningMessage(addresses, isSignUpOpen ? setupCode : null));
  if (tryOut !== null) await showTryOut(config, addresses, setupCode, tryOut);
};

const startGroup = async (group: readonly Part[], log: Logger, running: Disposers): Promise<void> => {
  const parts = group.map((part) => startPart(part, log, running.stopping));
  await running.add({
    [Symbol.asyncDispose]: async () => void (await Promise.all(parts.map(async (part) => part[Symbol.asyncDispose]()))),
  });
  await Promise.all(parts.map(async (part) => part.untilReady()));
};

const openDatabase = async (config: StartConfig, log: Logger, running: Disposers): Promise<{ databaseUrl: string; masterKey: string }> => {
  const { databaseUrl, dataDir } = config;
  const given = config.masterKey?.toString("base64");
  if (databaseUrl !== undefined) return { databaseUrl, masterKey: given ?? "" };
  const starting = startPostgres({ dataDir, durable: true, waitMs: WAIT_MS, onRestart: (message) => log.error(message) });
  const postgres = await running.add(starting);
  return { databaseUrl: postgres.url, masterKey: given ?? (await keptMasterKey(dataDir)) };
};

const showTryOut = async (config: StartConfig, addresses: Addresses, setupCode: string, tryOut: TryOut): Promise<void> => {
  const { adminEmail: email, adminPassword: password } = config;
  const owner = email === undefined || password === undefined ? null : { email, password };
  const { login, shop } = await makeDemo(addresses.admin, { owner, password: tryOut.password, setupCode });
  // In one piece, so that no log line of a part comes in between.
  process.stdout.write(tryOutMessage(addresses, login, owner === null, shop));
  await tryOut.finish();
};

/** Things to stop, the last one first; also one that is added while stopping. Every one gets its turn, whatever the others throw. */
export class Disposers {
  readonly #stack: AsyncDisposable[] = [];
  readonly #stopping = new AbortController();
  #disposing: Promise<void> | undefined;

  /** Aborted as soon as disposing begins. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Adds what is still being started: it is stopped when it has. A start that failed needs no stopping. */
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

/** What a start prints when everything serves. `setupCode` is null when somebody can sign in already. */
const runningMessage = (addresses: Addresses, setupCode: string | null): string =>
  [
    "",
    "Tidings is running.",
    `  Dashboard  ${addresses.admin}`,
    `  Gateway    ${addresses.gateway}`,
    ...(addresses.sandbox === null ? [] : [`  Sandbox    ${addresses.sandbox}   (stands in for WhatsApp: nothing leaves this machine)`]),
    ...(setupCode === null ? [] : [`  The first sign-up from another machine needs this setup code: ${setupCode}`]),
    "",
  ].join("\n");

/** What the try-out prints: who may sign in, and what to paste. Blank lines stand around the block and none in it. */
const tryOutMessage = (addresses: Addresses, login: Login, isDemoOwner: boolean, shop: DemoShop): string =>
  [
    "",
    "A demo shop is set up. Sign in to the dashboard:",
    `  Address    ${addresses.admin}`,
    `  Email      ${login.email}`,
    `  Password   ${isDemoOwner ? `${login.password}   (shown this once)` : "the one in ADMIN_PASSWORD"}`,
    "The shop's credentials, also shown this once:",
    `  Site key        ${shop.apiKey}`,
    `  Webhook secret  ${shop.webhookSecret}`,
    "Paste this into a second terminal to send an order's confirmation:",
    "",
    pasteBlock(addresses.gateway, shop),
    "",
    `Then see the message as its recipient would: in the dashboard, or at ${addresses.sandbox ?? ""}/_sandbox/messages`,
    "",
  ].join("\n");
