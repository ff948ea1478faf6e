import type { Attributes } from "@opentelemetry/api";
import { withTimeout } from "shared/db/statement";
import type { Lap } from "shared/metrics/metrics";
import type { Logger } from "shared/server/logger";
import { version } from "shared/server/process";

/** What an event went through, for a collector of OpenTelemetry. Its trace has the event's id, so that every gateway adds to it without being told. */
export type Tracing = Awaited<ReturnType<typeof startTracing>>;

const kinds = { queue: "CONSUMER", callback: "SERVER", delivery: "CLIENT", replay: "SERVER" } as const;

/** Spans that wait for the collector; further ones are dropped, as an event is worth more than its trace. */
const mostWaiting = 16_384;
const flushMs = 2_000;

/** Loads the SDK. `endpoint`: base URL of the collector's OTLP over HTTP; headers and limits come from the SDK's own variables. */
export async function startTracing(endpoint: string, instanceId: string, log: Logger) {
  const [{ ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const told: typeof exporter.export = (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.error) log.warn({ err: result.error, spans: spans.length }, "the collector does not take traces");
      done(result);
    });
  const random = new sdk.RandomIdGenerator();
  let root: { trace: string; span: string } | null = null;
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": "tidings-gateway", "service.version": version, "service.instance.id": instanceId }),
    idGenerator: {
      generateTraceId: () => root?.trace ?? random.generateTraceId(),
      generateSpanId: () => root?.span ?? random.generateSpanId(),
    },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: { export: told, shutdown: () => exporter.shutdown(), forceFlush: () => exporter.forceFlush() },
        maxQueueSize: mostWaiting,
      }),
    ],
  });
  const tracer = provider.getTracer("tidings", version);
  const ofEvent = (traceId: string, spanId: string) =>
    trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
  return {
    /** The request that brought an event, with its stages; `since` in ms of `performance.now()`. Called once an event. */
    event: (id: string, since: number, laps: readonly Lap[]): void => {
      const ids = idsOf(id);
      root = ids;
      const whole = tracer.startSpan(
        "event",
        { kind: SpanKind.SERVER, startTime: since, attributes: { "tidings.event_id": id } },
        ROOT_CONTEXT,
      );
      root = null;
      const context = ofEvent(ids.trace, ids.span);
      for (const { stage, since: startTime, until } of laps) tracer.startSpan(stage, { startTime }, context).end(until);
      whole.end(performance.now());
    },
    /** Something that happened to the event later, from `since` until now; an error is the code of a failure. */
    later: (id: string, what: keyof typeof kinds, since: number, attributes: Attributes = {}, error: string | null = null): void => {
      const ids = idsOf(id);
      const given = { kind: SpanKind[kinds[what]], startTime: since, attributes: { "tidings.event_id": id, ...attributes } };
      const span = tracer.startSpan(what, given, ofEvent(ids.trace, ids.span));
      if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(performance.now());
    },
    [Symbol.asyncDispose]: () => withTimeout(provider.shutdown(), flushMs).catch(() => undefined),
  };
}

/** The trace of an event, and the span of its request: both from its id. */
function idsOf(eventId: string): { trace: string; span: string } {
  const hex = eventId.replaceAll("-", "");
  return { trace: hex, span: hex.slice(16) };
}
