import { load } from "../load.ts";
import { selfTime, type Share } from "../profiler.ts";
import { profile } from "../profiler.ts";
import { cell, row, say } from "../report.ts";
import type { Benchmark } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { startGateway } from "../stage.ts";
import { openStage } from "../stage.ts";

const shown = 10;

/** The parts of the program in which the gateway spends its time under 32 connections, and the ten functions that take the most themselves. */
export const benchProfile: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "profile");
  await using server = await startGateway(stage, { inspect: true });
  const plan = { connections: 32, requests: () => signedRequests(stage.shop) };
  await load(server.url, plan, { seconds: run.warmUp });
  const taken = await profile(server.inspectorUrl ?? "", async () => load(server.url, plan, { seconds: run.seconds }));
  const { functions, parts } = selfTime(taken);
  print("the gateway's time by part of the program, 32 connections", parts);
  print("by function", functions);
  return [{ name: "the busiest function's share of the gateway's time", value: functions[0]?.share ?? NaN }];
};

function print(title: string, shares: readonly Share[]): void {
  say(`\n${title}`);
  for (const { name, share } of shares.slice(0, shown)) row([name, `${cell(share * 100, 1)} %`], 72);
}
