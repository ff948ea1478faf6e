import { inTurn } from "../load/in-turn.ts";
import { measure } from "../load/measure.ts";
import { median } from "../load/percentile.ts";
import { signedRequests } from "../load/signed-requests.ts";
import { figureText } from "../report/figure.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import { say } from "../report/print.ts";
import type { BenchProcess } from "../world/bench-process.ts";
import { startGateway, startReference } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

const everyMs = 100;

/** The most memory that is resident while 256 connections post. */
export const benchMemory: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "memory");
  await stage.database.sql`create table reference_event (id uuid primary key, payload text not null)`;
  await stage.database.sql`create table reference_log (id uuid primary key, event_id uuid, phone text, message_id text)`;
  const plan = { connections: 256, requests: () => signedRequests(stage.shop) };
  const results = await inTurn(["a", "gateway"], run.rounds, async (contestant) => {
    await using server = contestant === "gateway" ? await startGateway(stage) : await startReference(stage, stage.shop, false);
    using most = watchMemory(server);
    const measured = await measure({ ...stage, servers: [server] }, plan, run);
    return { ...measured, residentMegabytes: most.megabytes() };
  });
  printMeasurements("most memory, 256 connections", results);
  const most = median(results.gateway.map(({ residentMegabytes }) => residentMegabytes));
  const figure = { name: "resident at 256 connections", value: most, unit: "MB", atMost: 200, decimals: 0 };
  say(`${figure.name}: ${figureText(figure)}`);
  return [figure, ratioOf({ name: "memory, gateway / (a)" }, results.gateway, results.a, (round) => round.residentMegabytes)];
};

function watchMemory(server: BenchProcess): Disposable & { megabytes: () => number } {
  let most = server.residentMegabytes();
  const timer = setInterval(() => (most = Math.max(most, server.residentMegabytes())), everyMs);
  return { megabytes: () => most, [Symbol.dispose]: () => clearInterval(timer) };
}
