import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { readAnswer, type Answer } from "./http/answer.ts";
import { exchange } from "./http/exchange.ts";

export interface PlatformClientOptions {
  /** Such as `https://graph.facebook.com`; a path in it is kept. */
  baseUrl: string;
  /** Connections at most; opened only when that many sends are under way at once. */
  maxInFlight?: number | undefined;
  /** For one attempt, from asking for a connection to the last byte of the answer. */
  timeoutMs?: number | undefined;
}

export interface PlatformCall {
  method: "GET" | "POST" | "DELETE";
  /** Below the base URL, such as `/v25.0/1234/messages`. */
  path: string;
  query?: Record<string, string> | undefined;
  accessToken: string;
  body?: object | undefined;
  /** An instant of `performance.now()`: a call that has no connection by then is not made. */
  startBy?: number | undefined;
  /** An instant of `performance.now()`: an attempt is cut off then, even when its time is not up. */
  cutAt?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The platform's HTTP interface: keep-alive connections to one origin, one attempt a call. */
export interface PlatformClient extends AsyncDisposable {
  call(call: PlatformCall): Promise<Answer>;
}

/** @throws TypeError when `baseUrl` is no URL. */
export function createPlatformClient({ baseUrl, maxInFlight = 3_000, timeoutMs = 10_000 }: PlatformClientOptions): PlatformClient {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const pool = new Pool(base.origin, {
    connections: maxInFlight,
    pipelining: 1,
    connect: { timeout: timeoutMs },
  });
  return {
    async call(call) {
      const now = performance.now();
      const request = {
        method: call.method,
        path: prefix + call.path + queryText(call.query),
        headers: headersOf(call),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        timeoutMs: Math.max(1, Math.min(timeoutMs, (call.cutAt ?? Infinity) - now)),
        startBy: Math.min(call.startBy ?? Infinity, call.cutAt ?? Infinity),
        signal: call.signal,
      };
      return readAnswer(await exchange(pool, request));
    },
    async [Symbol.asyncDispose]() {
      await pool.destroy();
    },
  };
}

function headersOf(call: PlatformCall): Record<string, string> {
  // What no header can carry cannot be part of a token either: the platform then refuses it in its own words.
  const authorization = `Bearer ${call.accessToken.replace(/[^\x21-\x7e]/g, "?")}`;
  return call.body === undefined ? { authorization } : { authorization, "content-type": "application/json" };
}

function queryText(query: Record<string, string> | undefined): string {
  return query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
}
