import autocannon from "autocannon";
import type { Cluster } from "./cluster.ts";
import type { BenchProcess } from "./processes.ts";
import { orders } from "./requests.ts";

/** The result of a load. CPU is in microseconds a request. */
export interface Measured {
  /** The number of right answers a second. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  failed: number;
  serverCpu: number;
  databaseCpu: number;
  platformCpu: number;
  /** The CPU of the load generator, which runs in this process. */
  loadCpu: number;
  /** The memory of all servers together. */
  residentMegabytes: number;
}

/** The measured servers, and the processes that work for them. Several servers share the connections. */
export interface Target {
  servers: readonly BenchProcess[];
  platform: BenchProcess;
  cluster: Cluster;
}

/** Runs the same load for some seconds, so that all code is warm, and then the load that counts. */
export async function measure(target: Target, plan: LoadPlan, { warmUp, seconds }: { warmUp: number; seconds: number }): Promise<Measured> {
  if (warmUp > 0) await loadAll(target, plan, { seconds: warmUp });
  const before = cpuOf(target);
  const result = await loadAll(target, plan, plan.requestsEach === undefined ? { seconds } : { requests: plan.requestsEach });
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

async function loadAll({ servers }: Target, plan: LoadPlan, end: LoadEnd): Promise<LoadResult> {
  const share = { ...plan, connections: Math.ceil(plan.connections / servers.length) };
  const since = performance.now();
  const results = await Promise.all(servers.map(async ({ url }) => load(url, share, end)));
  await plan.untilDone?.();
  return {
    answered: sum(results.map(({ answered }) => answered)),
    failed: sum(results.map(({ failed }) => failed)),
    seconds: plan.untilDone ? (performance.now() - since) / 1000 : Math.max(...results.map((result) => result.seconds)),
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

export interface LoadPlan {
  connections: number;
  /** The requests, made anew for each load: a signature is valid for five minutes. */
  requests: () => autocannon.Request[];
  /** The number of requests that count, in place of those of some seconds. */
  requestsEach?: number | undefined;
  /** Waits for what goes on after the answers and counts as well. */
  untilDone?: (() => Promise<void>) | undefined;
  /** The status that every answer must have; 200 by default. */
  status?: number | undefined;
}

/** The end of the load: after this many seconds, or after this many requests. */
export type LoadEnd = { seconds: number } | { requests: number };

interface LoadResult {
  /** The number of answers with the right status. */
  answered: number;
  /** The number of other answers and of connections that failed. */
  failed: number;
  seconds: number;
  /** Milliseconds, one for each answer. */
  latencies: number[];
}

const longestMs = 120_000;
/** The number of orders of one connection: making its requests delays the load, and all connections together have all orders. */
const ordersEach = 50;
const secondsToAnswer = 20;

/** Posts over `connections`; each starts at another order, so that they do not march in step. Ends after two minutes in any case. */
export async function load(url: string, plan: LoadPlan, end: LoadEnd): Promise<LoadResult> {
  const { connections, status = 200 } = plan;
  const requests = plan.requests();
  const latencies: number[] = [];
  let started = 0;
  let answered = 0;
  const options: autocannon.Options = {
    url,
    connections,
    timeout: secondsToAnswer,
    sampleInt: 100,
    ...("seconds" in end ? { duration: end.seconds } : { amount: Math.max(end.requests, connections) }),
    setupClient: (client) => {
      const from = Math.floor((orders / connections) * (started += 1)) % requests.length;
      const own = Math.max(ordersEach, Math.ceil(orders / connections));
      client.setRequests([...requests.slice(from), ...requests.slice(0, from)].slice(0, own));
    },
  };
  return await new Promise((resolve, reject) => {
    const instance = autocannon(options, (error: Error | null, result) => {
      clearTimeout(limit);
      if (error !== null) return reject(error);
      resolve({ answered, failed: latencies.length - answered + result.errors, seconds: result.duration, latencies });
    });
    const limit = setTimeout(() => (instance as unknown as { stop(): void }).stop(), longestMs);
    instance.on("response", (_client, statusCode, _bytes, milliseconds) => {
      latencies.push(milliseconds);
      if (statusCode === status) answered += 1;
    });
  });
}

/** The value below which `percent` of the ascending values lie; NaN without values. */
const percentile = (ascending: readonly number[], percent: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor((ascending.length * percent) / 100))] ?? NaN;

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? (sorted[Math.floor(middle)] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Measures each contestant once a round, in either order by turns, so that other work of the machine falls on all of them alike. */
export async function inTurn<Name extends string, Result>(
  names: readonly Name[],
  rounds: number,
  measureOne: (name: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results = Object.fromEntries(names.map((name): [Name, Result[]] => [name, []])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await measureOne(name));
  return results;
}
