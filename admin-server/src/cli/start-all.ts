import { randomBytes } from "node:crypto";
import { startPostgres } from "shared/postgres/start";
import type { Logger } from "shared/server/logger";
import type { StartConfig } from "./config.ts";
import { prepareDatabase } from "./database.ts";
import type { Disposers } from "./disposers.ts";
import { keptMasterKey } from "./master-key.ts";
import { runningMessage, tryOutMessage } from "./messages.ts";
import { type Part, startPart } from "./part.ts";
import { type Addresses, addressesOf, partsOf } from "./parts.ts";
import { waitForPorts } from "./ports.ts";
import { makeDemo } from "./try-out/make-demo.ts";
import { beginTryOut, type TryOut } from "./try-out/marker.ts";

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
