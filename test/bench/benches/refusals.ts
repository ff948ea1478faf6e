import { randomBytes } from "node:crypto";
import { newId } from "shared/db/ids";
import { makeSiteKey } from "shared/secrets/site-key";
import type { Shop } from "../../support/gateway.ts";
import { countStatements } from "../cluster.ts";
import { inTurn, load, type LoadPlan, measure, type Measured } from "../load.ts";
import { type Figure, printMeasurements, ratioOf, say, type Benchmark } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { startGateway, openStage, type Stage } from "../stage.ts";

const floods = ["malformed key", "unknown site", "wrong key", "bad signature"] as const;
const all = ["good", ...floods] as const;
type Plans = Record<(typeof all)[number], LoadPlan>;

/** The most statements of a refusal, which may look at the site once more, but so seldom that a flood shares each look. */
const statementsBar = 0.05;

/** Floods that are refused, against requests that are served: CPU over all processes, and statements. */
export const benchRefusals: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "refusals");
  const plans = plansOf(stage.shop);
  const results = await inTurn(all, run.rounds, async (kind) => {
    await using server = await startGateway(stage);
    // The site is known by then, as it is in a running gateway.
    await load(server.url, plans.good, { seconds: run.warmUp });
    return await measure({ ...stage, servers: [server] }, plans[kind], run);
  });
  printMeasurements("refusals, 256 connections", results);
  const cpu = floods.map((flood) =>
    ratioOf(
      { name: `CPU of a refusal (${flood}) / a good request`, atMost: 0.4 },
      results[flood],
      results.good,
      ({ serverCpu, databaseCpu }: Measured) => serverCpu + databaseCpu,
    ),
  );
  return [...cpu, ...(await statements(stage, plans, run.seconds))];
};

async function statements(stage: Stage, plans: Plans, seconds: number): Promise<Figure[]> {
  await using counted = await countStatements(stage.cluster);
  await using server = await startGateway(stage);
  await load(server.url, plans.good, { requests: 1000 });
  const figures: Figure[] = [];
  for (const flood of floods) {
    const before = await counted.read(stage.database);
    const { answered } = await load(server.url, plans[flood], { seconds });
    const issued = (await counted.read(stage.database)) - before;
    say(`${flood}: ${issued} statements while ${answered} were refused`);
    figures.push({ name: `statements a refusal (${flood})`, value: issued / answered, decimals: 4, atMost: statementsBar });
  }
  return figures;
}

function plansOf(shop: Shop): Plans {
  const plan = (headers: () => Record<string, string>, status?: number): LoadPlan => ({
    connections: 256,
    requests: () => signedRequests(shop).map((request) => ({ ...request, headers: { ...request.headers, ...headers() } })),
    status,
  });
  return {
    good: plan(() => ({})),
    "malformed key": plan(() => ({ "x-service-site-key": `sk_live_${randomBytes(10).toString("hex")}` }), 401),
    "unknown site": plan(() => ({ "x-service-site-key": makeSiteKey(newId()).key }), 401),
    "wrong key": plan(() => ({ "x-service-site-key": makeSiteKey(shop.siteId).key }), 401),
    "bad signature": plan(() => ({ "x-service-signature": `sha256=${randomBytes(32).toString("hex")}` }), 401),
  };
}
