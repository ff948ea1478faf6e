import type { GatewayContext } from "gateway/context";
import { createApp } from "gateway/http/app";
import { serve } from "gateway/http/connection";
import type { Answer } from "gateway/ingest/answer";
import type { RawRequest } from "gateway/ingest/event";
import { defaultTimeLimits, type TimeLimits } from "gateway/time-limits";
import { pino } from "pino";

export interface Edge extends AsyncDisposable {
  url: string;
  port: number;
  /** Bodies that the spine has read. */
  bodies: Buffer[];
  /** What was logged. */
  lines: Record<string, unknown>[];
  readiness: { stopping: boolean };
}

export interface EdgeOptions {
  /** In the place of the spine; reads the body and answers 200 by itself. */
  handle?: ((request: RawRequest) => Promise<Answer>) | undefined;
  timeLimits?: Partial<TimeLimits> | undefined;
  maxBodyBytes?: number | undefined;
  databaseAnswers?: (() => Promise<boolean>) | undefined;
  trustProxy?: boolean | undefined;
}

export const okAnswer: Answer = { status: 200, body: '{"ok":true}', eventId: "018f0000-0000-7000-8000-000000000000" };

/** The gateway's HTTP edge alone: no spine, no database. */
export const openEdge = async (options: EdgeOptions = {}): Promise<Edge> => {
  const lines: Record<string, unknown>[] = [];
  const bodies: Buffer[] = [];
  const log = pino(
    { level: "debug", base: null },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const config = {
    host: "127.0.0.1",
    port: 0,
    databaseUrl: "",
    masterKey: Buffer.alloc(32),
    platformApiUrl: "",
    publicGatewayUrl: "",
    inDoubtSeconds: 120,
    logLevel: "debug" as const,
    maxBodyBytes: options.maxBodyBytes ?? 1_000,
    trustProxy: options.trustProxy ?? false,
    timeLimits: { ...defaultTimeLimits, ...options.timeLimits },
  };
  const clock = { now: () => new Date(), monotonic: () => performance.now() };
  // The routes under test use nothing else of the context.
  const context = { config, log, clock } as unknown as GatewayContext;
  const readiness = { stopping: false, databaseAnswers: options.databaseAnswers ?? (async () => true) };
  const readAndAnswer = async (request: RawRequest): Promise<Answer> => {
    bodies.push(await request.readBody());
    return okAnswer;
  };
  const http = await serve(createApp(context, { handle: options.handle ?? readAndAnswer }, readiness), config, log);
  return { url: http.url, port: http.port, bodies, lines, readiness, [Symbol.asyncDispose]: async () => http[Symbol.asyncDispose]() };
};
