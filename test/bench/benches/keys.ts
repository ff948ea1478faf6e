import type autocannon from "autocannon";
import { inTurn } from "../load/in-turn.ts";
import { measure } from "../load/measure.ts";
import { signedRequests } from "../load/signed-requests.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import { startGateway } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

// Without keys a header of the same length travels along, so that the load generator does the same work.
const headers = { without: "x-some-other-unused-key", with: "x-service-idempotency-key" } as const;

/** Every event with an idempotency key of its own, against the same without. */
export const benchKeys: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "keys");
  const results = await inTurn(["without", "with"], run.rounds, async (contestant) => {
    await using server = await startGateway(stage);
    const requests = () => signedRequests(stage.shop).map((request) => numbered(request, headers[contestant]));
    return await measure({ ...stage, servers: [server] }, { connections: 32, requests }, run);
  });
  printMeasurements("idempotency keys, 32 connections", results);
  return [ratioOf({ name: "with idempotency keys / without" }, results.with, results.without, (round) => round.throughput)];
};

let sent = 0;

const numbered = (request: autocannon.Request, header: string): autocannon.Request => ({
  ...request,
  setupRequest: (each) => ({ ...each, headers: { ...request.headers, [header]: `order-created-${process.pid}-${(sent += 1)}` } }),
});
