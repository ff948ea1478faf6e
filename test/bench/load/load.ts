import autocannon from "autocannon";
import { orders } from "./signed-requests.ts";

export interface LoadPlan {
  connections: number;
  /** Made anew for each load: a signature is good for five minutes. */
  requests: () => autocannon.Request[];
  /** The status that every answer must have; 200 unless said. */
  status?: number | undefined;
}

/** Where the load ends: after so many seconds, or after so many requests. */
export type LoadEnd = { seconds: number } | { requests: number };

export interface LoadResult {
  /** Answers with the right status. */
  answered: number;
  /** Other answers, and connections that failed. */
  failed: number;
  seconds: number;
  /** Milliseconds, one an answer. */
  latencies: number[];
}

const longestMs = 120_000;
/** What a connection has of the orders: making its requests delays the load, and all connections together have them all. */
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
