import { inTurn } from "../load/in-turn.ts";
import { measure } from "../load/measure.ts";
import { signedRequests } from "../load/signed-requests.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import { startGateway } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

/** Dry runs, which are stored and send nothing, against live events. */
export const benchDryRuns: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "dry_runs");
  const results = await inTurn(["live", "test"], run.rounds, async (mode) => {
    await using server = await startGateway(stage);
    const requests = () => signedRequests(stage.shop, { "x-service-mode": mode });
    return await measure({ ...stage, servers: [server] }, { connections: 32, requests }, run);
  });
  printMeasurements("dry runs, 32 connections", results);
  return [ratioOf({ name: "dry runs / live" }, results.test, results.live, (round) => round.throughput)];
};
