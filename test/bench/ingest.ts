import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import { startPostgres } from "shared/postgres/start-postgres";
import { masterKey, openShop, type Shop } from "../support/gateway/shop.ts";
import { type BenchProcess, startProcess } from "./bench-process.ts";
import { load, type LoadResult } from "./load.ts";
import { median, row, say } from "./print.ts";

interface Scenario {
  name: string;
  connections: number;
  delayMs: number;
}

const scenarios: Scenario[] = [
  { name: "32 connections, platform at 0 ms", connections: 32, delayMs: 0 },
  { name: "256 connections, platform at 0 ms", connections: 256, delayMs: 0 },
  { name: "1 connection, platform at 0 ms", connections: 1, delayMs: 0 },
  { name: "32 connections, platform at 50 ms", connections: 32, delayMs: 50 },
];

interface Measured extends LoadResult {
  cpuMicroseconds: number;
  databaseMegabytes?: number;
  residentMegabytes: number;
}

const contestants = ["a", "b", "gateway"] as const;
type Contestant = (typeof contestants)[number];

/** The gateway beside two references, round by round in one run; see the README of this folder. */
export async function benchIngest({ rounds, seconds }: { rounds: number; seconds: number }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-bench-"));
  const postgres = await startPostgres({ dataDir: folder, durable: true });
  try {
    const shop = await prepare(postgres.url);
    for (const scenario of scenarios) await runScenario(scenario, postgres.url, shop, { rounds, seconds });
  } finally {
    await postgres[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(databaseUrl: string): Promise<Shop> {
  const sql = connect(databaseUrl, { max: 1 });
  await migrate(sql);
  await sql`create table reference_event (id uuid primary key, payload text not null, received_at timestamptz not null default now())`;
  await sql`create table reference_log (id uuid primary key, event_id uuid not null, phone text not null, message_id text not null, at timestamptz not null default now())`;
  const shop = await openShop(sql);
  await sql.end();
  return shop;
}

async function runScenario(
  scenario: Scenario,
  databaseUrl: string,
  shop: Shop,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  await using platform = await startProcess("instant-platform.ts", { DELAY_MS: String(scenario.delayMs) }, { core: 1 });
  const results: Record<Contestant, Measured[]> = { a: [], b: [], gateway: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of contestants) {
      await using server = await startContestant(contestant, databaseUrl, platform.url, shop);
      await load(server.url, shop, scenario.connections, 1);
      results[contestant].push(await measure(server, shop, scenario.connections, seconds));
    }
  }
  report(scenario, results);
}

async function startContestant(contestant: Contestant, databaseUrl: string, platformUrl: string, shop: Shop): Promise<BenchProcess> {
  const shared = { DATABASE_URL: databaseUrl, PLATFORM_API_URL: platformUrl };
  if (contestant !== "gateway")
    return await startProcess(
      "reference-server.ts",
      { ...shared, SECRET: shop.secret, GROUPED: contestant === "b" ? "1" : "" },
      { core: 0 },
    );
  const env = {
    ...shared,
    MASTER_KEY: masterKey.toString("base64"),
    GATEWAY_PORT: "0",
    HOST: "127.0.0.1",
    PUBLIC_GATEWAY_URL: "http://127.0.0.1",
  };
  return await startProcess("../../gateway/dist/main.js", env, { core: 0, urlOf: urlInLog });
}

function urlInLog(line: string): string | null {
  const entry = JSON.parse(line) as { msg?: string; url?: string };
  return entry.msg === "listening" ? (entry.url ?? null) : null;
}

async function measure(server: BenchProcess, shop: Shop, connections: number, seconds: number): Promise<Measured> {
  const before = server.cpuSeconds();
  const result = await load(server.url, shop, connections, seconds);
  const cpuMicroseconds = ((server.cpuSeconds() - before) / result.requests) * 1e6;
  return { ...result, cpuMicroseconds, residentMegabytes: server.residentMegabytes() };
}

function report(scenario: Scenario, results: Record<Contestant, Measured[]>): void {
  say(`\n${scenario.name}`);
  row(["", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "MB", "failed"]);
  for (const contestant of contestants) {
    const of = (member: keyof Measured): number => median(results[contestant].map((one) => Number(one[member])));
    row([
      contestant,
      of("throughput").toFixed(0),
      of("p50").toFixed(1),
      of("p99").toFixed(1),
      of("cpuMicroseconds").toFixed(0),
      of("residentMegabytes").toFixed(0),
      of("failed").toFixed(0),
    ]);
  }
  for (const reference of ["a", "b"] as const) {
    const ratios = results.gateway.map((one, i) => one.throughput / (results[reference][i]?.throughput ?? NaN));
    say(`gateway / (${reference}): ${median(ratios).toFixed(2)}   round by round ${ratios.map((ratio) => ratio.toFixed(2)).join("  ")}`);
  }
}
