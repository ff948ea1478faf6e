import { inTurn } from "../load/in-turn.ts";
import { measure, type Measured } from "../load/measure.ts";
import { signedRequests } from "../load/signed-requests.ts";
import type { Figure } from "../report/figure.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import type { BenchDatabase } from "../world/cluster.ts";
import { startGateway, startReference } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

interface Scenario {
  connections: number;
  delayMs: number;
  /** The least ratio to each reference. */
  bars: { a?: number; b?: number };
  mostWarmUp?: number;
}

const scenarios: Scenario[] = [
  { connections: 32, delayMs: 0, bars: { a: 1.3, b: 0.75 } },
  { connections: 256, delayMs: 0, bars: { a: 1.8, b: 0.7 } },
  { connections: 1, delayMs: 0, bars: { a: 0.8 }, mostWarmUp: 1500 },
  { connections: 32, delayMs: 50, bars: {} },
];

const contestants = ["a", "b", "gateway"] as const;
type Results = Record<(typeof contestants)[number], Measured[]>;

/** The gateway beside two references; see the README. */
export const benchIngest: Benchmark = async (run) => {
  const figures: Figure[] = [];
  for (const { connections, delayMs, bars, mostWarmUp = Infinity } of scenarios) {
    await using stage = await openStage(run.cluster, "ingest", { delayMs });
    await makeReferenceTables(stage.database);
    const plan = { connections, requests: () => signedRequests(stage.shop) };
    const warmUp = Math.min(run.warmUp, mostWarmUp);
    const results = await inTurn(contestants, run.rounds, async (contestant) => {
      await using server =
        contestant === "gateway" ? await startGateway(stage) : await startReference(stage, stage.shop, contestant === "b");
      return await measure({ ...stage, servers: [server] }, plan, { ...run, warmUp });
    });
    const title = `${connections} connection${connections === 1 ? "" : "s"}, platform at ${delayMs} ms`;
    printMeasurements(title, results);
    figures.push(...ratios(title, results, bars), ...(delayMs > 0 ? additions(title, results, delayMs) : []));
  }
  return figures;
};

async function makeReferenceTables({ sql }: BenchDatabase): Promise<void> {
  await sql`create table reference_event (id uuid primary key, payload text not null, received_at timestamptz not null default now())`;
  await sql`create table reference_log (id uuid primary key, event_id uuid not null, phone text not null, message_id text not null, at timestamptz not null default now())`;
}

const ratios = (title: string, results: Results, bars: Scenario["bars"]): Figure[] =>
  (["a", "b"] as const).map((reference) =>
    ratioOf(
      { name: `${title}: gateway / (${reference})`, atLeast: bars[reference] },
      results.gateway,
      results[reference],
      (round) => round.throughput,
    ),
  );

/** What the gateway adds to the platform's own time, and how much more than (a) does. */
const additions = (title: string, results: Results, delayMs: number): Figure[] =>
  (["p50", "p99"] as const).flatMap((member) => {
    const figure = { name: `${title}: gateway adds at ${member}`, unit: "ms", atMost: member === "p50" ? 4 : 20 };
    const delay = results.gateway.map(() => delayMs);
    const minus = (one: number, other: number): number => one - other;
    const valueOf = (round: Measured | number): number => (typeof round === "number" ? round : round[member]);
    return [
      ratioOf<Measured | number>(figure, results.gateway, delay, valueOf, minus),
      ratioOf({ ...figure, name: `${figure.name}, beyond (a)`, atMost: undefined }, results.gateway, results.a, valueOf, minus),
    ];
  });
