import { openShop } from "../../support/gateway/shop.ts";
import { inTurn } from "../load/in-turn.ts";
import { measure } from "../load/measure.ts";
import { signedRequests } from "../load/signed-requests.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import { startGateway } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

/** Events to twenty phones against events to one, in messages a second. */
export const benchRecipients: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "recipients");
  const counts = { one: 1, twenty: 20 } as const;
  const shops = {
    one: await openShop(stage.database.sql, { recipient: { strategy: "site_recipients" }, phones: phones(counts.one) }),
    twenty: await openShop(stage.database.sql, { recipient: { strategy: "site_recipients" }, phones: phones(counts.twenty) }),
  };
  const results = await inTurn(["one", "twenty"], run.rounds, async (contestant) => {
    await using server = await startGateway(stage);
    const plan = { connections: 32, requests: () => signedRequests(shops[contestant]) };
    const warmUp = Math.ceil(run.warmUp / counts[contestant]);
    const measured = await measure({ ...stage, servers: [server] }, plan, { ...run, warmUp });
    return { ...measured, messages: measured.throughput * counts[contestant] };
  });
  printMeasurements("recipients of each event, 32 connections", results);
  return [
    ratioOf({ name: "messages a second, 20 recipients / 1" }, results.twenty, results.one, (round) => round.messages),
    ratioOf(
      { name: "server CPU a message, 20 recipients / 1" },
      results.twenty.map(({ serverCpu }) => serverCpu / counts.twenty),
      results.one.map(({ serverCpu }) => serverCpu),
      (cpu) => cpu,
    ),
  ];
};

const phones = (count: number): string[] => Array.from({ length: count }, (_, i) => `+1555200${1000 + i}`);
