import type { BenchProcess } from "../world/bench-process.ts";
import type { Cluster } from "../world/cluster.ts";
import { load, type LoadPlan, type LoadResult } from "./load.ts";
import { percentile } from "./percentile.ts";

/** What a load came to. CPU in microseconds a request. */
export interface Measured {
  /** Requests a second that were answered as they should be. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  failed: number;
  serverCpu: number;
  databaseCpu: number;
  platformCpu: number;
  /** Of the load generator, which runs in this process. */
  loadCpu: number;
  /** Of all servers together. */
  residentMegabytes: number;
}

/** What is measured, and what works for it. Several servers share the connections. */
export interface Target {
  servers: readonly BenchProcess[];
  platform: BenchProcess;
  cluster: Cluster;
}

/** A fixed number of requests, so that everybody's code is equally warm, and then the load that counts. */
export async function measure(target: Target, plan: LoadPlan, { warmUp, seconds }: { warmUp: number; seconds: number }): Promise<Measured> {
  await loadAll(target, plan, { requests: warmUp });
  const before = cpuOf(target);
  const result = await loadAll(target, plan, { seconds });
  const after = cpuOf(target);
  const requests = result.answered + result.failed || NaN;
  const spent = (who: keyof typeof before): number => ((after[who] - before[who]) / requests) * 1e6;
  const latencies = result.latencies.toSorted((a, b) => a - b);
  return {
    throughput: result.answered / result.seconds,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    failed: result.failed,
    serverCpu: spent("servers"),
    databaseCpu: spent("database"),
    platformCpu: spent("platform"),
    loadCpu: spent("load"),
    residentMegabytes: sum(target.servers.map((server) => server.residentMegabytes())),
  };
}

async function loadAll({ servers }: Target, plan: LoadPlan, end: { requests: number } | { seconds: number }): Promise<LoadResult> {
  const share = { ...plan, connections: Math.ceil(plan.connections / servers.length) };
  const shareEnd = "requests" in end ? { requests: Math.ceil(end.requests / servers.length) } : end;
  const results = await Promise.all(servers.map(async ({ url }) => load(url, share, shareEnd)));
  return {
    answered: sum(results.map(({ answered }) => answered)),
    failed: sum(results.map(({ failed }) => failed)),
    seconds: Math.max(...results.map((result) => result.seconds)),
    latencies: results.flatMap(({ latencies }) => latencies),
  };
}

const cpuOf = ({ servers, platform, cluster }: Target) => {
  const { user, system } = process.cpuUsage();
  return {
    servers: sum(servers.map((server) => server.cpuSeconds())),
    database: cluster.cpuSeconds(),
    platform: platform.cpuSeconds(),
    load: (user + system) / 1e6,
  };
};

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
