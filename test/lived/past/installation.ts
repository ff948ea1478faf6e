// oxfmt-ignore: the clock comes first.
import { readStartConfig } from "admin-server/cli/config";
import { keptMasterKeys, prepareDatabase } from "admin-server/cli/database";
import { addressesOf, partsOf, sandboxSecretsOf } from "admin-server/cli/parts";
import { readAdminConfig } from "admin-server/config";
import { startAdminServer } from "admin-server/start";
import { readGatewayConfig } from "gateway/config";
import { startGateway } from "gateway/start";
import { connect } from "shared/db/connect";
import type { Pool } from "shared/db/statement";
import { everydayRole, startPostgres } from "shared/postgres/start";
import { readSandboxConfig } from "shared/sandbox/config";
import { startSandbox } from "shared/sandbox/start";
import { readKeptKeys } from "shared/sealing/open-vault";
import type { Logger } from "shared/server/logger";
import { waitFor } from "../../support/wait-for.ts";
import { installClock, removeClock, setClock } from "./clock.ts";

/** The installation of a data folder as `npm start` makes it, with its programs in this process and on an earlier day. */
export interface PastInstallation extends AsyncDisposable {
  readonly owner: Pool;
  readonly gatewayUrl: string;
  readonly adminUrl: string;
  readonly sandboxUrl: string;
  readonly controlToken: string;
  /** Starts the programs, after those of an earlier time have stopped. */
  startAt(time: Date): Promise<void>;
  /** The programs run on, and have slept until then. */
  goOnAt(time: Date): Promise<void>;
}

/** `environment` is that of a later `npm start`. The database syncs nothing to disk until then. */
export async function openInstallation(environment: Record<string, string>, log: Logger, since: Date): Promise<PastInstallation> {
  const config = readStartConfig(environment);
  const ports = { gateway: config.gatewayPort, admin: config.adminPort, sandbox: config.sandboxPort };
  const addresses = addressesOf(config, ports);
  // The partitions of the log begin with that week.
  await setClock(null, since);
  const postgres = await startPostgres({ dataDir: config.dataDir, durable: false });
  await prepareDatabase({ ownerUrl: postgres.url, everydayRole });
  const keys = await keptMasterKeys(config.dataDir);
  const owner = connect(postgres.url, { max: 2, applicationName: "lived" });
  await installClock(owner);
  const databaseUrl = postgres.everydayUrl;
  const { sandbox: sandboxKey } = await readKeptKeys(owner, keys);
  const sandboxSecrets = sandboxSecretsOf(config, sandboxKey);
  const parts = partsOf({ ports, addresses, databaseUrl, ...keys, setupCode: "code", sandboxSecrets }).flat();
  const environmentOf = (name: string) => ({ ...environment, ...parts.find((part) => part.name === name)?.env });

  let running: AsyncDisposable[] = [];
  const stop = async (): Promise<void> => {
    for (const part of running.toReversed()) await part[Symbol.asyncDispose]();
    running = [];
  };
  return {
    owner,
    gatewayUrl: addresses.gateway,
    adminUrl: addresses.admin,
    sandboxUrl: addresses.sandbox ?? "",
    controlToken: sandboxSecrets.controlToken,
    async startAt(time) {
      await stop();
      await setClock(owner, time);
      running.push(await startSandbox({ ...readSandboxConfig(environmentOf("sandbox")), log, options: hurried }));
      const gateway = readGatewayConfig(environmentOf("gateway"));
      running.push(await startGateway({ ...gateway, timeLimits: { ...gateway.timeLimits, leaseMs } }, { log }));
      running.push(await startAdminServer(readAdminConfig(environmentOf("admin server")), { log, ...diligent }));
    },
    async goOnAt(time) {
      await setClock(owner, time);
      const isAwake = async () => (await owner`select from gateway where lease_until > ${time}`).length > 0;
      await waitFor("the gateway to have its lease again", isAwake);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await removeClock(owner);
      await owner.end({ timeout: 5 });
      await postgres[Symbol.asyncDispose]();
    },
  };
}

/** A tenth of it passes before the gateway has noticed that it has slept. */
const leaseMs = 8_000;
/** Phones that answer soon, since a day of the past lasts a second. */
const hurried = { sentAfterMs: 50, deliveredAfterMs: 100, readAfterMs: 200, reviewAfterMs: 0 };
/** Jobs that run several times on such a day. */
const diligent = { longestPauseMs: 400, pollTimes: { tickMs: 400 }, sendingTimes: { tickMs: 200 }, retentionMs: 400 };
