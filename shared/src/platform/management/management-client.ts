import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import type { PlatformCall, PlatformClient } from "../client.ts";
import { readAnswer, type Answer } from "../http/answer.ts";
import { bodyLength, exchangeWhole, type WholeRequest } from "./exchange-whole.ts";
import { readUsage, type Usage } from "./usage.ts";

export interface ManagementClientOptions {
  /** As of `createPlatformClient`. */
  baseUrl: string;
  /** For a call with JSON or without a body. */
  timeoutMs?: number | undefined;
  /** For a call that carries a file. */
  uploadTimeoutMs?: number | undefined;
}

export interface UploadCall {
  /** With query. */
  path: string;
  headers: Record<string, string>;
  /** The body's pieces, in order. */
  body: readonly Uint8Array[];
  signal?: AbortSignal | undefined;
}

/**
 * The calls that manage templates and files: few and large where those that send are many and small, so they have connections of their own, longer answers
 * and the platform's word on how many more it grants.
 */
export interface ManagementClient extends PlatformClient {
  upload(call: UploadCall): Promise<Answer>;
  /** How much of its calls the business account has used up, by the platform's last answer; null when it has not said. */
  usage(wabaId: string): Usage | null;
}

/** @throws TypeError when `baseUrl` is no URL. */
export function createManagementClient(options: ManagementClientOptions): ManagementClient {
  const { baseUrl, timeoutMs = 20_000, uploadTimeoutMs = 300_000 } = options;
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const pool = new Pool(base.origin, { connections: 16, connect: { timeout: timeoutMs } });
  const known = new Map<string, Usage>();
  const exchange = async (request: WholeRequest): Promise<Answer> => {
    const { exchange: outcome, headers } = await exchangeWhole(pool, { ...request, path: prefix + request.path });
    for (const [wabaId, usage] of readUsage(headers)) known.set(wabaId, usage);
    return readAnswer(outcome);
  };
  return {
    call: async ({ method, path, query, accessToken, body, cutAt = Infinity, signal }: PlatformCall) =>
      exchange({
        method,
        path: query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`,
        headers: { authorization: authorization("Bearer", accessToken), ...(body !== undefined && { "content-type": "application/json" }) },
        body: body === undefined ? [] : [Buffer.from(JSON.stringify(body))],
        timeoutMs: Math.max(1, Math.min(timeoutMs, Math.ceil(cutAt - performance.now()))),
        signal,
      }),
    upload: async ({ path, headers, body, signal }) =>
      exchange({
        method: "POST",
        path,
        headers: { ...headers, "content-length": String(bodyLength(body)) },
        body,
        timeoutMs: uploadTimeoutMs,
        signal,
      }),
    usage: (wabaId) => known.get(wabaId) ?? null,
    [Symbol.asyncDispose]: async () => pool.destroy(),
  };
}

/** What no header can carry cannot be part of a token either: the platform then refuses it in its own words. */
export const authorization = (scheme: "Bearer" | "OAuth", token: string): string => `${scheme} ${token.replace(/[^\x21-\x7e]/g, "?")}`;
