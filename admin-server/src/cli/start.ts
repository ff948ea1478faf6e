import { randomBytes } from "node:crypto";
import { demoEmail } from "shared/core/example";
import { connect } from "shared/db/connect";
import { listNamedEvents } from "shared/db/event/log";
import { findUserByEmail } from "shared/db/user";
import { everydayRole, startPostgres } from "shared/postgres/start";
import { readKeptKeys } from "shared/sealing/open-vault";
import { createLogger, type Logger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { defaultDataDir, readStartConfig, type StartConfig } from "./config.ts";
import { keptMasterKeys, ownerOf, prepareDatabase, withDatabase } from "./database.ts";
import { beginTryOut, makeDemo, sendSamples, type TryOut } from "./demo.ts";
import {
  type Addresses,
  addressesOf,
  Disposers,
  type Part,
  partsOf,
  type SandboxSecrets,
  sandboxSecretsOf,
  startPart,
  waitForPorts,
} from "./parts.ts";
import {
  resetCommandOf,
  runningMessage,
  runningScreen,
  tryOutMessage,
  tryOutScreen,
  createTerminal,
  isForPeople,
  type Terminal,
} from "./terminal.ts";

/** The time is longer than a part may take to finish what is in flight. */
const stopMs = 60_000;
/** How long an earlier start that is about to end may still hold the data folder. */
const waitMs = 10_000;

await runMain("npm start: starts everything; shared/src/docs/operating.md names its variables", async () => {
  const config = readStartConfig();
  if (config.backupRecipient !== undefined) (await import("./backup/encryption.ts")).encryptTo(config.backupRecipient);
  const terminal = isForPeople(process.stdout, config.logLevel) ? createTerminal(process.stdout, config.term !== "dumb") : null;
  const log = createLogger("start", config.logLevel, terminal === null ? undefined : { write: terminal.logReader() });
  const running = new Disposers();
  stopOnSignal(log, async () => running.dispose(), stopMs);
  try {
    await startAll(config, log, running, terminal);
  } catch (error) {
    terminal?.show("");
    // A signal has ended the start; its handler exits.
    if (running.stopping.aborted) return;
    await running.dispose();
    throw error;
  }
});

/**
 * Starts everything, prints the addresses, and sets up the try-out if this is one. `running` holds what was started, also when this throws. `terminal` is
 * null where programs read the output.
 */
async function startAll(config: StartConfig, log: Logger, running: Disposers, terminal: Terminal | null): Promise<void> {
  terminal?.progress("Starting…");
  const ports = await waitForPorts(config);
  const tryOut = await beginTryOut(config);
  const { databaseUrl, owner, ...keys } = await openDatabase(config, log, running);
  const { hasUsers } = await prepareDatabase(owner, (line) => log.warn(line));
  const setupCode = config.setupCode ?? randomBytes(6).toString("hex");
  const addresses = addressesOf(config, ports);
  const { sandbox } = await withDatabase(databaseUrl, "start", async (sql) => readKeptKeys(sql, keys));
  const sandboxSecrets = sandboxSecretsOf(config, sandbox);
  for (const group of partsOf({ ports, addresses, databaseUrl, ...keys, setupCode, sandboxSecrets, metricsPort: config.metricsPort })) {
    if (running.stopping.aborted) return;
    await startGroup(group, log, running, terminal);
  }
  if (running.stopping.aborted) return;
  const openCode = !hasUsers && tryOut === null && config.adminEmail === undefined ? setupCode : null;
  if (terminal === null) process.stdout.write(runningMessage(addresses, openCode));
  if (tryOut !== null) await showTryOut(config, addresses, { setupCode, sandboxSecrets }, tryOut, terminal);
  else if (terminal !== null) terminal.show(runningScreen(addresses, openCode, await findResetCommand(databaseUrl, config, addresses)));
  if (terminal !== null) await followEvents(databaseUrl, running, terminal);
}

/** Shows events on the terminal until everything stops. */
async function followEvents(databaseUrl: string, running: Disposers, terminal: Terminal): Promise<void> {
  const sql = connect(databaseUrl, { max: 1, applicationName: "tidings-start" });
  await running.add({
    [Symbol.asyncDispose]: async () => {
      terminal.close();
      await sql.end({ timeout: 5 });
    },
  });
  terminal.follow(async (ids) => listNamedEvents(sql, ids));
}

/** The command that gives the demo's owner another password; null if nobody has that login, or messages go to WhatsApp. */
async function findResetCommand(databaseUrl: string, { dataDir }: StartConfig, { isPlatform }: Addresses): Promise<string | null> {
  if (!isPlatform) return null;
  const demo = await withDatabase(databaseUrl, "start", async (sql) => findUserByEmail(sql, demoEmail));
  return demo === undefined ? null : resetCommandOf(dataDir === defaultDataDir ? null : dataDir);
}

async function startGroup(group: readonly Part[], log: Logger, running: Disposers, terminal: Terminal | null): Promise<void> {
  const output = terminal && (() => ({ stdout: terminal.logReader(), stderr: terminal.show }));
  const parts = group.map((part) => startPart(part, log, running.stopping, output));
  await running.add({
    [Symbol.asyncDispose]: async () => void (await Promise.all(parts.map(async (part) => part[Symbol.asyncDispose]()))),
  });
  await Promise.all(parts.map(async (part) => part.untilReady()));
}

/** The URL for the programs, the database by its owner, and the keys. */
async function openDatabase(config: StartConfig, log: Logger, running: Disposers) {
  const { databaseUrl, migrateDatabaseUrl, dataDir } = config;
  const given = config.masterKey && { masterKey: config.masterKey, masterKeyOld: config.masterKeyOld };
  if (databaseUrl !== undefined)
    return { databaseUrl, owner: ownerOf(databaseUrl, migrateDatabaseUrl), ...(given ?? { masterKey: Buffer.alloc(0) }) };
  const starting = startPostgres({ dataDir, durable: true, waitMs, onRestart: (message) => log.error(message) });
  const postgres = await running.add(starting);
  const owner = { ownerUrl: postgres.url, everydayRole };
  return { databaseUrl: postgres.everydayUrl, owner, ...(given ?? (await keptMasterKeys(dataDir))) };
}

async function showTryOut(
  config: StartConfig,
  addresses: Addresses,
  { setupCode, sandboxSecrets }: { setupCode: string; sandboxSecrets: SandboxSecrets },
  tryOut: TryOut,
  terminal: Terminal | null,
): Promise<void> {
  terminal?.progress("Setting up a demo shop…");
  const { adminEmail: email, adminPassword: password } = config;
  const owner = email === undefined || password === undefined ? null : { email, password };
  const { createSandboxClient } = await import("../sandbox/client.ts");
  const sandbox = createSandboxClient(addresses.sandbox, sandboxSecrets.controlToken);
  const { login, shop } = await makeDemo(addresses.admin, { owner, password: tryOut.password, setupCode, sandbox });
  await sendSamples(addresses.gateway, shop);
  const texts = { addresses, login, isDemoOwner: owner === null, shop };
  // All is written at once, so that no log line of a part comes in between.
  if (terminal === null) process.stdout.write(tryOutMessage(texts));
  else terminal.show(tryOutScreen(texts));
  await tryOut.finish();
}
