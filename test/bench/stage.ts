import { readFileSync } from "node:fs";
import { join } from "node:path";
import { masterKey, openShop, type Shop, type ShopOptions } from "../support/gateway.ts";
import type { BenchDatabase, Cluster } from "./cluster.ts";
import { type BenchProcess, type ProcessOptions, startProcess } from "./processes.ts";

/** The surroundings of a measured server: a database with a shop in it, and a platform. */
export interface Stage extends AsyncDisposable {
  cluster: Cluster;
  database: BenchDatabase;
  databaseUrl: string;
  shop: Shop;
  platform: BenchProcess;
  platformUrl: string;
}

export async function openStage(
  cluster: Cluster,
  name: string,
  { delayMs, ...shop }: ShopOptions & { delayMs?: number } = {},
): Promise<Stage> {
  const database = await cluster.createDatabase(`bench_${name}`);
  const platform = await startPlatform(delayMs);
  return {
    cluster,
    database,
    databaseUrl: database.url,
    shop: await openShop(database.sql, shop),
    platform,
    platformUrl: platform.url,
    [Symbol.asyncDispose]: async () => {
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

type Surroundings = { databaseUrl: string; platformUrl: string };

/** Options of Node itself, the same as in `npm run gateway`. */
const gatewayOptions =
  /"gateway": "exec node ((?:--\S+ )*)/u
    .exec(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))?.[1]
    ?.split(" ")
    .filter(Boolean) ?? [];

/** The gateway as it runs in production, built, of this checkout unless another is named, pinned to the first core unless another is. */
export const startGateway = async (
  { databaseUrl, platformUrl }: Surroundings,
  { isCounting = false, checkout = ".", ...options }: Pick<ProcessOptions, "core"> & { isCounting?: boolean; checkout?: string } = {},
): Promise<BenchProcess> =>
  await startProcess(join(checkout, "gateway/dist/main.js"), {
    core: 0,
    nodeOptions: gatewayOptions,
    ...options,
    env: {
      DATABASE_URL: databaseUrl,
      PLATFORM_API_URL: platformUrl,
      MASTER_KEY: masterKey.toString("base64"),
      GATEWAY_PORT: "0",
      HOST: "127.0.0.1",
      PUBLIC_GATEWAY_URL: "http://127.0.0.1",
      METRICS_PORT: isCounting ? "0" : "",
      WEBHOOK_ALLOW_PRIVATE: "127.0.0.0/8",
    },
    urlOf: urlInLog,
  });

/** Makes the references' tables, once for each database. */
export async function makeReferenceTables({ sql }: BenchDatabase): Promise<void> {
  await sql`create table reference_event (id uuid primary key, payload text not null, received_at timestamptz not null default now())`;
  await sql`create table reference_log (id uuid primary key, event_id uuid not null, phone text not null, message_id text not null, at timestamptz not null default now())`;
}

/** Starts the reference (a), or with its inserts grouped (b): see `reference-server.ts`. */
export const startReference = async ({ databaseUrl, platformUrl }: Surroundings, shop: Shop, grouped: boolean): Promise<BenchProcess> =>
  await startProcess("test/bench/reference-server.ts", {
    core: 0,
    env: { DATABASE_URL: databaseUrl, PLATFORM_API_URL: platformUrl, SECRET: shop.secret, GROUPED: grouped ? "1" : "" },
  });

/** A platform that accepts everything after this many milliseconds. */
const startPlatform = async (delayMs = 0): Promise<BenchProcess> =>
  await startProcess("test/bench/instant-platform.ts", { core: 1, env: { DELAY_MS: String(delayMs) } });

function urlInLog(line: string): string | null {
  const entry = JSON.parse(line) as { msg?: string; url?: string };
  return entry.msg === "listening" ? (entry.url ?? null) : null;
}
