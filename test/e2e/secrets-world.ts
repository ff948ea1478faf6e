import type { GatewayConfig } from "gateway/config";
import { type Gateway, startGateway } from "gateway/start";
import { defaultTimeLimits } from "gateway/time-limits";
import { pino } from "pino";
import type { Pool } from "shared/db/statement";
import { type AdminClient, openAdminOn } from "../support/admin.ts";
import { testDatabase } from "../support/database.ts";
import { masterKey } from "../support/gateway.ts";
import type { Sender } from "../support/requests.ts";

export type Site = { id: string; sender: Sender };

export interface SecretsWorld extends AsyncDisposable {
  sql: Pool;
  gateways: [Gateway, Gateway];
  sites: AdminClient["sites"];
  openSite(): Promise<Site>;
  /** Sets the time of the gateways' wall clocks; null: the real time. */
  setTime(ms: number | null): void;
}

/** An admin server and two gateways over one database, and clocks that can be set. */
export async function openSecretsWorld(): Promise<SecretsWorld> {
  const database = await testDatabase();
  const admin = await openAdminOn(database.url, { masterKey });
  const { client } = await admin.signUp();
  let time: number | null = null;
  const clock = { now: () => new Date(time ?? Date.now()), monotonic: () => performance.now() };
  const open = async () => startGateway({ ...gatewayDefaults, databaseUrl: database.url }, { clock, log: pino({ level: "silent" }) });
  const gateways: [Gateway, Gateway] = [await open(), await open()];
  return {
    sql: database.sql,
    gateways,
    sites: client.sites,
    openSite: async () => {
      const made = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
      return { id: made.site.id, sender: { key: made.apiKey, secret: made.webhookSecret } };
    },
    setTime: (ms) => void (time = ms),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([admin, ...gateways].map(async (server) => server[Symbol.asyncDispose]()));
      await database[Symbol.asyncDispose]();
    },
  };
}

const gatewayDefaults: Omit<GatewayConfig, "databaseUrl"> = {
  host: "127.0.0.1",
  port: 0,
  masterKey,
  platformApiUrl: "http://127.0.0.1:9",
  ownHosts: null,
  publicGatewayUrl: "http://gateway.test",
  publicAdminUrl: null,
  maxBodyBytes: 1_048_576,
  inDoubtSeconds: 120,
  logLevel: "silent",
  trustProxy: false,
  timeLimits: defaultTimeLimits,
};
