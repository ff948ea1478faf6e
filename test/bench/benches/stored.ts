import { openShop, type Shop } from "../../support/gateway/shop.ts";
import { inTurn } from "../load/in-turn.ts";
import { measure } from "../load/measure.ts";
import { signedRequests } from "../load/signed-requests.ts";
import { printMeasurements, ratioOf } from "../report/measurements.ts";
import { say } from "../report/print.ts";
import { storeLog } from "../world/log-rows.ts";
import { startGateway } from "../world/servers.ts";
import { openStage } from "../world/stage.ts";
import type { Benchmark } from "./benchmark.ts";

const sites = 5;

/** The gateway over five million stored events and messages, against itself over an empty database of the same PostgreSQL. */
export const benchStored: Benchmark = async (run) => {
  const rows = run.quick ? 20_000 : 5_000_000;
  await using empty = await openStage(run.cluster, "stored_none");
  await using full = await openStage(run.cluster, "stored");
  const { sql } = full.database;
  const others: Shop[] = [];
  for (let i = 1; i < sites; i += 1) others.push(await openShop(sql, { accountId: full.shop.accountId }));
  say(`\nstoring ${rows} events and messages of ${sites} sites`);
  await storeLog(sql, { shops: [full.shop, ...others], from: 0, to: rows });
  const results = await inTurn(["empty", "full"], run.rounds, async (contestant) => {
    const stage = contestant === "empty" ? empty : full;
    await using server = await startGateway(stage);
    return await measure({ ...stage, servers: [server] }, { connections: 32, requests: () => signedRequests(stage.shop) }, run);
  });
  printMeasurements(`${rows} events and messages stored, 32 connections`, results);
  return [ratioOf({ name: `${rows} stored / empty`, atLeast: 0.9 }, results.full, results.empty, (round) => round.throughput)];
};
