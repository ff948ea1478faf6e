import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { attempt, storableText } from "../core/text.ts";
import type { Deadlines, Limited } from "../server/deadlines.ts";

/** The outcome of one call. `json` is undefined when the body is not a JSON object. */
export type Answer = { kind: "answered"; status: number; json: object | undefined } | Unanswered;

export function readAnswer(exchange: Exchange): Answer {
  if (exchange.kind !== "answered") return exchange;
  return { kind: "answered", status: exchange.status, json: parseObject(exchange.body.toString("utf8")) };
}

/** Parses an object; the content type does not matter. */
export function parseObject(text: string): object | undefined {
  const value = attempt((): unknown => JSON.parse(text), null);
  return typeof value === "object" && value !== null ? value : undefined;
}

export interface ExchangeRequest {
  method: "GET" | "POST" | "DELETE";
  /** With query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Readable | undefined;
  /** The time limit of the whole exchange: waiting for a connection, writing, reading. */
  timeoutMs: number;
  /** An instant of `performance.now()`: nothing is written after it, even by a process whose timers were suspended. */
  startBy?: number | undefined;
  /** A longer answer counts as lost; 1 MiB by default. */
  mostBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** `not_sent` proves that no byte left; `lost` is everything else without a complete answer. */
export type Exchange = { kind: "answered"; status: number; headers: IncomingHttpHeaders; body: Buffer } | Unanswered;
type Unanswered = { kind: "not_sent"; reason: string } | { kind: "lost"; reason: string };

export const maxAnswerBytes = 1_048_576;

/** Makes one request without retries. Never throws. */
export const exchange = (dispatcher: Dispatcher, request: ExchangeRequest, deadlines: Deadlines): Promise<Exchange> =>
  new Promise((resolve) => {
    const { method, path, headers, body } = request;
    const handler = new ExchangeHandler(request, resolve, deadlines);
    dispatcher.dispatch({ method, path, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });

/** Undici calls `onRequestStart` right before it writes the first byte, so without that call nothing was sent. */
class ExchangeHandler implements Dispatcher.DispatchHandler, Limited {
  readonly endsAt: number;
  place = -1;
  private readonly request: ExchangeRequest;
  private readonly resolve: (exchange: Exchange) => void;
  private readonly deadlines: Deadlines;
  /** The listener of the signal; undefined without one. */
  private readonly stop: (() => void) | undefined;
  private controller: Dispatcher.DispatchController | null = null;
  private ended = false;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private chunks: Buffer[] | undefined;
  private length = 0;

  constructor(request: ExchangeRequest, resolve: (exchange: Exchange) => void, deadlines: Deadlines) {
    this.request = request;
    this.resolve = resolve;
    this.deadlines = deadlines;
    this.endsAt = performance.now() + request.timeoutMs;
    deadlines.add(this);
    if (request.signal === undefined) return;
    const stop = (): void => this.end(this.withoutAnswer("the call was stopped"));
    this.stop = stop;
    // Many calls may share one signal.
    setMaxListeners(0, request.signal);
    request.signal.addEventListener("abort", stop);
    if (request.signal.aborted) stop();
  }

  expire(): void {
    this.end(this.withoutAnswer(`no answer within ${seconds(this.request.timeoutMs)} s`));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // On a second start undici would write the same request again.
    const again = this.controller !== null;
    if (!again && !this.ended && performance.now() >= (this.request.startBy ?? Infinity))
      this.end({ kind: "not_sent", reason: "no connection in time" });
    if (again || this.ended) controller.abort(new Error("ended before it was written"));
    else this.controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { mostBytes = maxAnswerBytes } = this.request;
    this.length += chunk.length;
    if (this.length > mostBytes) this.end({ kind: "lost", reason: `HTTP ${this.status} with an answer of more than ${mostBytes} bytes` });
    else (this.chunks ??= []).push(chunk);
  }

  onResponseEnd(): void {
    const [first, ...more] = this.chunks ?? [];
    const body = first !== undefined && more.length === 0 ? first : Buffer.concat(this.chunks ?? []);
    this.end({ kind: "answered", status: this.status, headers: this.headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(this.withoutAnswer(describe(error)));
  }

  private withoutAnswer(reason: string): Exchange {
    return { kind: this.controller === null ? "not_sent" : "lost", reason };
  }

  private end(exchange: Exchange): void {
    if (this.ended) return;
    this.ended = true;
    this.deadlines.remove(this);
    if (this.stop !== undefined) this.request.signal?.removeEventListener("abort", this.stop);
    this.resolve(exchange);
    // Closes the connection, whose state is unknown.
    if (exchange.kind !== "answered") this.controller?.abort(new Error(exchange.reason));
  }
}

/** With two digits. */
const seconds = (ms: number): number => Number((ms / 1000).toPrecision(2));

/** The error as a text: an error of several addresses tried at once has no message. */
function describe(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message || code || error.name;
}

const longest = 2_000;
const longestId = 500;

/** Cuts foreign text to 2,000 UTF-16 units and makes it storable. */
export const boundedText = (text: string): string => storableText(text.slice(0, longest));

/** Cuts a foreign id to a length that the database can index, always in the same way. */
export const boundedId = (id: string): string => storableText(id.slice(0, longestId));

/** Readers of JSON of unknown shape: a member that is missing or of another type is undefined. */

export function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

export function textMember(value: unknown, key: string): string | undefined {
  const text = member(value, key);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** An id or a code, which the platform writes as a number or as a string. */
export function idMember(value: unknown, key: string): string | undefined {
  const id = member(value, key);
  if (typeof id === "bigint") return id.toString();
  if (typeof id === "number") return Number.isSafeInteger(id) ? id.toString() : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

export function listMember(value: unknown, key: string): unknown[] {
  const list = member(value, key);
  return Array.isArray(list) ? list : [];
}
