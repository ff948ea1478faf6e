import { inTurn } from "../load/in-turn.ts";
import { measure } from "../load/measure.ts";
import { signedRequests } from "../load/signed-requests.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import { startGateway } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

/** Two gateways over one database, each with half of the connections, against one. They share the cores with all else, so on two cores little can be gained. */
export const benchGateways: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "gateways");
  const plan = { connections: 64, requests: () => signedRequests(stage.shop) };
  const results = await inTurn(["one", "two"], run.rounds, async (contestant) => {
    await using first = await startGateway(stage);
    if (contestant === "one") return await measure({ ...stage, servers: [first] }, plan, run);
    await using second = await startGateway(stage, { core: 1 });
    return await measure({ ...stage, servers: [first, second] }, plan, { ...run, warmUp: 2 * run.warmUp });
  });
  printMeasurements("gateways, 64 connections", results);
  return [ratioOf({ name: "two gateways / one" }, results.two, results.one, (round) => round.throughput)];
};
