import { insertNotifications } from "../../support/gateway.ts";
import { postUpdates } from "../../support/requests.ts";
import { countStatements } from "../cluster.ts";
import { median } from "../load.ts";
import type { BenchProcess } from "../processes.ts";
import { ratioOf } from "../report.ts";
import { cell, row, say } from "../report.ts";
import type { Benchmark } from "../report.ts";
import { startGateway } from "../stage.ts";
import { openStage, type Stage } from "../stage.ts";

const sizes = [1, 1000] as const;
const callbacksARound = 5;

interface Timed {
  first: number;
  repeated: number;
}

/** A callback of a thousand statuses through the gateway, against one of a single status: the first time, and repeated word for word. */
export const benchCallbacks: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "callbacks");
  const times: Record<(typeof sizes)[number], Timed[]> = { 1: [], 1000: [] };
  await using server = await startGateway(stage);
  for (const size of sizes) await post(stage, server, size);
  for (let i = 0; i < (run.quick ? 1 : callbacksARound * run.rounds); i += 1) {
    for (const size of sizes) times[size].push(await post(stage, server, size));
  }
  const statements = await statementsOf(stage);
  say("\ncallbacks");
  row(["statuses", "ms", "ms again", "statements"]);
  for (const size of sizes) {
    const of = (member: keyof Timed): string => cell(median(times[size].map((each) => each[member])), 1);
    row([String(size), of("first"), of("repeated"), String(statements[size])]);
  }
  return [
    { name: "callback of 1000 statuses", value: median(times[1000].map(({ first }) => first)), unit: "ms", decimals: 1 },
    { name: "statements of a callback of 1000 statuses", value: statements[1000], decimals: 0 },
    ratioOf({ name: "callback of 1000 statuses / of 1" }, times[1000], times[1], ({ first }) => first),
  ];
};

/** Posts `size` statuses about as many sent messages, twice. */
async function post(stage: Stage, server: BenchProcess, size: number): Promise<Timed> {
  const updates = await newUpdates(stage, size);
  const first = await timed(stage, server, updates);
  return { first, repeated: await timed(stage, server, updates) };
}

async function newUpdates({ database, shop }: Stage, size: number): Promise<object[]> {
  const sentAt = new Date(Date.now() - 5_000);
  const sent = await insertNotifications(
    database.sql,
    shop,
    Array.from({ length: size }, () => ({ status: "sent" as const, sentAt })),
  );
  return sent.map(({ id, reference }) => ({
    id: `wamid.${id}`,
    status: "delivered",
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: "15551230001",
    biz_opaque_callback_data: reference,
  }));
}

async function timed({ shop, database }: Stage, server: BenchProcess, updates: object[]): Promise<number> {
  const started = performance.now();
  const response = await postUpdates(server, shop, updates);
  const ms = performance.now() - started;
  const waiting = await database.sql`select 1 from notification where site_id = ${shop.siteId} and status <> 'delivered' limit 1`;
  if (response.status !== 200 || waiting.length > 0) throw new Error(`the callback was answered with ${response.status} and not recorded`);
  return ms;
}

/** The statements of a gateway of its own, since statements that were prepared before are not counted. */
async function statementsOf(stage: Stage): Promise<Record<(typeof sizes)[number], number>> {
  await using counted = await countStatements(stage.cluster);
  await using server = await startGateway(stage);
  const fewest = { 1: Infinity, 1000: Infinity };
  // The fewest of several tries counts: from time to time the gateway also looks for unfinished events.
  for (let i = 0; i < 3; i += 1) {
    for (const size of sizes) {
      const updates = await newUpdates(stage, size);
      const before = await counted.read(stage.database);
      await timed(stage, server, updates);
      fewest[size] = Math.min(fewest[size], (await counted.read(stage.database)) - before);
    }
  }
  return fewest;
}
