import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { inTurn } from "../load/in-turn.ts";
import { median } from "../load/percentile.ts";
import { ratioOf } from "../report/measurements.ts";
import { cell, row, say } from "../report/print.ts";
import { startGateway } from "../world/servers.ts";
import { openStage, type Stage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

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
