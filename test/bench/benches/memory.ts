import { inTurn, median, measure } from "../load.ts";
import { type BenchProcess } from "../processes.ts";
import { ratioOf, say, type Benchmark, figureText, printMeasurements } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { startGateway, openStage, startReference } from "../stage.ts";

const everyMs = 100;

/** The most resident memory while 256 connections post. */
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
