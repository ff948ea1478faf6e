import type { MetricObject, Registry } from "prom-client";
import { listen, metricsAddress } from "../server/http-server.ts";

/** The numbers of a process, in memory. All counting takes well under a microsecond: labels are found in a map and bounds in a short list. */
export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

/** Adds to the count of label values (of a bounded set, without spaces), which are separated by spaces. */
type Count = (values: string, by?: number) => void;

/** A value that is read at each scrape. */
export interface Sample {
  value: number;
  labels?: Record<string, string>;
}

/** Upper bounds in seconds: from a step without a round trip to one that waits for a database. */
const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** From a callback that comes at once to a phone that was off for a day. */
const slowSeconds = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 250];

/** The numbers that both servers have. `version`: of the program. */
export async function createMetrics(version: string) {
  // Loaded here, as most installations count nothing.
  const { Counter, Histogram, Registry, collectDefaultMetrics } = await import("prom-client");
  const registry = new Registry();
  // A timer of the usual 10 ms would be most of what an idle server does.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  gauge(registry, "tidings_build_info", "The version that runs.", () => [{ labels: { version }, value: 1 }]);
  const registers = [registry];
  const counts = (name: string, help: string, ...labelNames: string[]): Count => {
    const counter = new Counter({ name, help, labelNames, registers });
    return (values, by = 1) => (by > 0 ? counter.labels(...values.split(" ")).inc(by) : undefined);
  };
  const times = (name: string, help: string, buckets: readonly number[], ...labelNames: string[]) => {
    const histogram = new Histogram({ name, help, buckets: [...buckets], labelNames, registers });
    return (value: number, ...of: string[]): void => histogram.labels(...of).observe(value);
  };
  return {
    /** All numbers in Prometheus' text format. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
    counts,
    times,
    gauge: (name: string, help: string, read: () => readonly Sample[]) => gauge(registry, name, help, read),
    requests: counts("tidings_requests_total", "Answered HTTP requests.", "route", "code"),
    poolWait: times("tidings_pool_wait_seconds", "How long statements waited for a connection to the database.", fastSeconds),
  };
}

/** What the gateway counts besides. */
export type GatewayMetrics = Awaited<ReturnType<typeof createGatewayMetrics>>;

export async function createGatewayMetrics(version: string) {
  const metrics = await createMetrics(version);
  const { counts, times } = metrics;
  const stage = times(
    "tidings_stage_seconds",
    "The time that an event spent in a stage; `authenticate` counts requests.",
    fastSeconds,
    "stage",
  );
  return {
    ...metrics,
    events: counts("tidings_events_total", "Live events by their answer.", "chat"),
    messages: counts("tidings_messages_total", "Messages by the status that they reached, each once.", "status"),
    platformRequests: counts("tidings_platform_requests_total", "Requests to the platform.", "outcome"),
    deliveries: counts("tidings_webhook_deliveries_total", "Attempts to deliver to an endpoint.", "outcome"),
    batchSize: times("tidings_batch_size", "Rows that share a statement.", batchSizes, "lane"),
    callbackDelay: times("tidings_callback_delay_seconds", "From the platform's time of a status to its callback.", slowSeconds),
    eventToDelivered: times("tidings_event_to_delivered_seconds", "From an event to the delivery of its message.", slowSeconds),
    /** Each stage counts once an event, however often it entered it. */
    stages: (laps: readonly Lap[]): void => {
      const spent = new Map<Stage, number>();
      for (const lap of laps) spent.set(lap.stage, (spent.get(lap.stage) ?? 0) + lap.until - lap.since);
      for (const [of, ms] of spent) stage(ms / 1000, of);
    },
  };
}

export type Stage = "authenticate" | "plan" | "claim" | "dispatch" | "settle";

/** The time that an event spent in a stage, which it may enter again; in ms of `performance.now()`. */
export interface Lap {
  stage: Stage;
  since: number;
  until: number;
}

/** The clock of one event. */
export class StageClock {
  readonly since: number = performance.now();
  readonly laps: Lap[] = [];
  /** Set once the event is stored. */
  eventId: string | null = null;
  private isOpen = false;

  /** Leaves the stage before, if it is still open. */
  enter(stage: Stage): void {
    this.leave();
    const now = performance.now();
    this.laps.push({ stage, since: now, until: now });
    this.isOpen = true;
  }

  leave(): void {
    const lap = this.laps.at(-1);
    if (this.isOpen && lap !== undefined) lap.until = performance.now();
    this.isOpen = false;
  }
}

/** A number that is read at each scrape; the library's own shows one without labels as 0 where there is none. */
function gauge(registry: Registry, name: string, help: string, read: () => readonly Sample[]): void {
  const metric = { name, get: async () => Promise.resolve({ name, help, type: "gauge", values: read(), aggregator: "sum" }) };
  registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0] & MetricObject);
}

/** Where the numbers are served; undefined: nowhere, and nothing is counted. */
export interface MetricsAddress {
  metricsPort?: number | undefined;
  metricsHost?: string | undefined;
}

/** `GET /metrics` in Prometheus' text format, from memory alone. Throws `ConfigurationError` when the port is taken. */
export const serveMetrics = ({ text, contentType }: Pick<Metrics, "text" | "contentType">, { metricsPort, metricsHost }: MetricsAddress) =>
  listen(
    (request, response) => {
      const isAsked = request.url?.replace(/\?.*$/s, "") === "/metrics" && (request.method === "GET" || request.method === "HEAD");
      if (!isAsked) return void response.writeHead(404, { "Content-Type": "application/json" }).end('{"error":"Not found"}');
      text().then(
        (all) => response.writeHead(200, { "Content-Type": contentType }).end(request.method === "HEAD" ? "" : all),
        () => response.writeHead(500).end(),
      );
    },
    { ...metricsAddress(metricsHost), port: metricsPort ?? 0, maxConnections: 50 },
  );

type Waiting = { handler?: (query: Waiting) => unknown; options: { onexecute?: ((connection: unknown) => unknown) | undefined } };

/** The pool, which tells how long each statement waits for a connection; those within a transaction have one. */
export function watchPool<Pool extends (...args: never[]) => unknown>(pool: Pool, wait: Metrics["poolWait"] | undefined): Pool {
  if (wait === undefined) return pool;
  return new Proxy(pool, {
    apply: (target, self, args: never[]) => {
      const query = Reflect.apply(target, self, args) as Waiting;
      const { handler } = query;
      if (typeof handler !== "function") return query;
      query.handler = (asked) => {
        const since = performance.now();
        // The driver calls it as the statement is written to its connection, and goes on if it answers true.
        asked.options.onexecute ??= () => (wait((performance.now() - since) / 1000), true);
        return handler(asked);
      };
      return query;
    },
  });
}
