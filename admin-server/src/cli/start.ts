import { randomBytes } from "node:crypto";
import { everydayRole, startPostgres } from "shared/postgres/start";
import { readKeptKeys } from "shared/sealing/open-vault";
import { createLogger, type Logger } from "shared/server/logger";
import { runMain, stopOnSignal } from "shared/server/process";
import { createSandboxClient } from "../sandbox/client.ts";
import { readStartConfig, type StartConfig } from "./config.ts";
import { type DatabaseUrls, keptMasterKeys, ownerOf, prepareDatabase, withDatabase } from "./database.ts";
import { beginTryOut, type DemoShop, type Login, makeDemo, pasteBlock, type TryOut } from "./demo.ts";
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

/** Longer than a part may take to finish what is in flight. */
const stopMs = 60_000;
/** How long an earlier start that is about to end may still hold the data folder. */
const waitMs = 10_000;

await runMain(async () => {
  const config = readStartConfig();
  const log = createLogger("start", config.logLevel);
  const running = new Disposers();
  stopOnSignal(log, async () => running.dispose(), stopMs);
  try {
    await startAll(config, log, running);
  } catch (error) {
    // A signal ended what the start was waiting for; its handler exits.
    if (running.stopping.aborted) return;
    await running.dispose();
    throw error;
  }
});

/** Starts everything, prints the addresses, and sets up the try-out if this is one. `running` holds what was started, also when this throws. */
async function startAll(config: StartConfig, log: Logger, running: Disposers): Promise<void> {
  const ports = await waitForPorts(config);
  const tryOut = await beginTryOut(config);
  const { databaseUrl, owner, ...keys } = await openDatabase(config, log, running);
  const { hasUsers } = await prepareDatabase(owner);
  const setupCode = config.setupCode ?? randomBytes(6).toString("hex");
  const addresses = addressesOf(config, ports);
  const sandboxSecrets = sandboxSecretsOf(config, await findSandboxKey(databaseUrl, keys));
  for (const group of partsOf({ ports, addresses, databaseUrl, ...keys, setupCode, sandboxSecrets })) {
    if (running.stopping.aborted) return;
    await startGroup(group, log, running);
  }
  if (running.stopping.aborted) return;
  const isSignUpOpen = !hasUsers && tryOut === null && config.adminEmail === undefined;
  process.stdout.write(runningMessage(addresses, isSignUpOpen ? setupCode : null));
  if (tryOut !== null) await showTryOut(config, addresses, { setupCode, sandboxSecrets }, tryOut);
}

async function startGroup(group: readonly Part[], log: Logger, running: Disposers): Promise<void> {
  const parts = group.map((part) => startPart(part, log, running.stopping));
  await running.add({
    [Symbol.asyncDispose]: async () => void (await Promise.all(parts.map(async (part) => part[Symbol.asyncDispose]()))),
  });
  await Promise.all(parts.map(async (part) => part.untilReady()));
}

interface OpenedDatabase {
  /** For the programs. */
  databaseUrl: string;
  owner: DatabaseUrls;
  /** In base64. */
  masterKey: string;
  masterKeyOld: string | undefined;
}

async function openDatabase(config: StartConfig, log: Logger, running: Disposers): Promise<OpenedDatabase> {
  const { databaseUrl, migrateDatabaseUrl, dataDir } = config;
  const given = config.masterKey && {
    masterKey: config.masterKey.toString("base64"),
    masterKeyOld: config.masterKeyOld?.toString("base64"),
  };
  if (databaseUrl !== undefined)
    return { databaseUrl, owner: ownerOf(databaseUrl, migrateDatabaseUrl), ...(given ?? { masterKey: "", masterKeyOld: undefined }) };
  const starting = startPostgres({ dataDir, durable: true, waitMs, onRestart: (message) => log.error(message) });
  const postgres = await running.add(starting);
  const owner = { ownerUrl: postgres.url, everydayRole };
  return { databaseUrl: postgres.everydayUrl, owner, ...(given ?? (await keptMasterKeys(dataDir))) };
}

async function findSandboxKey(databaseUrl: string, { masterKey, masterKeyOld }: Pick<OpenedDatabase, "masterKey" | "masterKeyOld">) {
  const keys = {
    masterKey: Buffer.from(masterKey, "base64"),
    masterKeyOld: masterKeyOld === undefined ? undefined : Buffer.from(masterKeyOld, "base64"),
  };
  return (await withDatabase(databaseUrl, "start", async (sql) => readKeptKeys(sql, keys))).sandbox;
}

async function showTryOut(
  config: StartConfig,
  addresses: Addresses,
  { setupCode, sandboxSecrets }: { setupCode: string; sandboxSecrets: SandboxSecrets },
  tryOut: TryOut,
): Promise<void> {
  const { adminEmail: email, adminPassword: password } = config;
  const owner = email === undefined || password === undefined ? null : { email, password };
  const sandbox = addresses.sandbox === null ? null : createSandboxClient(addresses.sandbox, sandboxSecrets.controlToken);
  const { login, shop } = await makeDemo(addresses.admin, { owner, password: tryOut.password, setupCode, sandbox });
  // In one write, so that no log line of a part comes in between.
  process.stdout.write(tryOutMessage(addresses, login, owner === null, shop));
  await tryOut.finish();
}

/** Printed when everything serves. `setupCode` is null when somebody can sign in already. */
function runningMessage(addresses: Addresses, setupCode: string | null): string {
  return [
    "",
    "Tidings is running.",
    `  Dashboard  ${addresses.admin}`,
    `  Gateway    ${addresses.gateway}`,
    ...(addresses.sandbox === null ? [] : [`  Sandbox    ${addresses.sandbox}   (stands in for WhatsApp: nothing leaves this machine)`]),
    ...(setupCode === null ? [] : [`  The first sign-up from another machine needs this setup code: ${setupCode}`]),
    "",
  ].join("\n");
}

/** The try-out's login, and the block to paste: blank lines around it, none within. */
function tryOutMessage(addresses: Addresses, login: Login, isDemoOwner: boolean, shop: DemoShop): string {
  return [
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
}
