import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { inTurn, median, measure } from "../load.ts";
import { type BenchProcess } from "../processes.ts";
import { ratioOf, cell, row, say, type Benchmark, figureText, printMeasurements } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { startGateway, openStage, type Stage, startReference } from "../stage.ts";

const startsARound = 3;

/** From the start of the process until the gateway listens, and until it says that it is ready; beside a Node that does nothing. */
export const benchStartUp: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "start_up");
  const results = await inTurn(["node", "gateway"], run.quick ? 1 : startsARound * run.rounds, async (contestant) =>
    contestant === "node" ? emptyNode() : await startOnce(stage),
  );
  say("\nstart-up, ms from the start of the process");
  row(["", "listening", "ready"]);
  row(["node", cell(median(results.node.map(({ listening }) => listening))), "–"]);
  const [listening, ready] = (["listening", "ready"] as const).map((member) => median(results.gateway.map((each) => each[member])));
  row(["gateway", cell(listening ?? NaN), cell(ready ?? NaN)]);
  return [
    { name: "start-up until listening", value: listening ?? NaN, unit: "ms", decimals: 0 },
    { name: "start-up until ready", value: ready ?? NaN, unit: "ms", decimals: 0 },
    ratioOf({ name: "start-up / an empty Node" }, results.gateway, results.node, (each) => each.ready),
  ];
};

function emptyNode(): { listening: number; ready: number } {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", ""]);
  const ended = performance.now() - started;
  return { listening: ended, ready: ended };
}

async function startOnce(stage: Stage): Promise<{ listening: number; ready: number }> {
  const started = performance.now();
  await using server = await startGateway(stage);
  const listening = performance.now() - started;
  while (!(await fetch(`${server.url}/api/public/ready`)).ok) await sleep(5);
  return { listening, ready: performance.now() - started };
}

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
