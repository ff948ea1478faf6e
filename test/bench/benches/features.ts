import { setTimeout as pause } from "node:timers/promises";
import type { Conditions } from "shared/core/conditions";
import { scalar } from "shared/db/statement";
import { openShop, type Shop } from "../../support/gateway.ts";
import { addOutboundSecret, addWebhook } from "../../support/receiver.ts";
import { inTurn, type LoadPlan, measure, type Measured } from "../load.ts";
import { type Figure, printMeasurements, ratioOf, type Benchmark, type Run } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { openStage, type Stage, startGateway } from "../stage.ts";

const conditions: Conditions = {
  match: "all",
  rules: [
    { path: "order.status", op: "eq", value: "processing" },
    { path: "order.total", op: "gt", value: "100" },
    { path: "customer.email", op: "contains", value: "@shop.example" },
  ],
};

const pacedShop = ({ database: { sql } }: Stage): Promise<Shop> => openShop(sql, { messagesPerSecond: 1_000 });

/** A site whose binding has three conditions, all of which hold. */
async function conditionalShop({ database: { sql } }: Stage): Promise<Shop> {
  const shop = await openShop(sql);
  await sql`update binding set conditions = ${sql.json(conditions as never)} where id = ${shop.bindingId}`;
  return shop;
}

/** A site with an endpoint that is told of every status; the platform answers for it. */
export async function toldShop({ database: { sql }, platformUrl }: Stage): Promise<Shop> {
  const shop = await openShop(sql);
  await addOutboundSecret(sql, shop);
  await addWebhook(sql, shop, { url: platformUrl });
  return shop;
}

/** 400 events of a shop from 32 connections. They are done when nothing of them waits: no message for its turn, no delivery for its arrival or its record. */
export const wholePlan = ({ database: { sql } }: Stage, shop: Shop): LoadPlan => ({
  connections: 32,
  requestsEach: 400,
  requests: () => signedRequests(shop),
  untilDone: async () => {
    const isLeft = () =>
      scalar(sql<[{ any: boolean }]>`
        select exists (select from waiting_message) or exists (select from webhook_delivery where owner is not null)
          or exists (select from webhook_delivery where status = 'pending' and owner is null) as any`);
    while (await isLeft()) await pause(20);
  },
});

/** What events are compared at platforms of these milliseconds. A pace of 1,000 a second has room for 32 connections where the platform takes 50 ms. */
const comparisons: { delayMs: number; makers: Record<string, (stage: Stage) => Promise<Shop>> }[] = [
  { delayMs: 0, makers: { conditions: conditionalShop, endpoint: toldShop } },
  { delayMs: 50, makers: { paced: pacedShop } },
];

/** Measures each once to be warm, and then ten short rounds in place of one long one, so that what else the machine does falls on all alike. */
export async function inShortTurns<Name extends string>(
  names: readonly Name[],
  run: Run,
  measureOne: (name: Name, run: Run) => Promise<Measured>,
) {
  for (const name of names) await measureOne(name, run);
  return await inTurn(names, run.rounds * (run.quick ? 1 : 10), (name) => measureOne(name, { ...run, warmUp: 0 }));
}

/** What events cost that have more to do than a plain one. All gateways stay up and take turns; the one that counts metrics has a database of its own. */
export const benchFeatures: Benchmark = async (run) => {
  const figures: Figure[] = [];
  for (const { delayMs, makers } of comparisons) {
    await using stage = await openStage(run.cluster, "features", { delayMs });
    await using countingStage = await openStage(run.cluster, "counting", { delayMs });
    const shops = new Map<string, Shop>([["plain", stage.shop]]);
    for (const [name, make] of Object.entries(makers)) shops.set(name, await make(stage));
    await using server = await startGateway(stage);
    await using counting = await startGateway(countingStage, { isCounting: true });
    const names = [...shops.keys(), ...(delayMs === 0 ? ["metrics"] : [])];
    const results = await inShortTurns(names, run, (name, each) => {
      const [on, servers] = name === "metrics" ? [countingStage, [counting]] : [stage, [server]];
      return measure({ ...on, servers }, wholePlan(on, shops.get(name) ?? on.shop), each);
    });
    printMeasurements(`platform at ${delayMs} ms`, results);
    await checkTold(stage);
    for (const name of names.slice(1)) figures.push(...cpuRatios(`${name} / plain`, results[name] ?? [], results["plain"] ?? []));
  }
  return figures;
};

const parts: [string, (round: Measured) => number][] = [
  ["gateway", (round) => round.serverCpu],
  ["PostgreSQL", (round) => round.databaseCpu],
  ["both", (round) => round.serverCpu + round.databaseCpu],
];

/** Ratios of the processor time that an event takes. */
export const cpuRatios = (what: string, rounds: readonly Measured[], references: readonly Measured[]): Figure[] =>
  parts.map(([part, cpuOf]) => ratioOf({ name: `${part} CPU an event, ${what}` }, rounds, references, cpuOf));

/** Each message at a site with an endpoint must have been told, and each delivery must have arrived at its first attempt. */
async function checkTold({ database: { sql } }: Stage): Promise<void> {
  const missing = await scalar(sql<[{ missing: number }]>`
    select (select count(*) from notification n join webhook w on w.site_id = n.site_id)::integer
      - (select count(*) from webhook_delivery where status = 'delivered' and attempts = 1)::integer as missing`);
  if (missing !== 0) throw new Error(`${missing} messages were not told once`);
}
