import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Dispatcher, Pool } from "undici";
import type { Exchange } from "../http/exchange.ts";

export interface WholeRequest {
  method: "GET" | "POST" | "DELETE";
  /** With query. */
  path: string;
  headers: Record<string, string>;
  /** The body's pieces; none for no body. */
  body: readonly Uint8Array[];
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** A page of a hundred templates in a script that JSON escapes has several MB. */
const maxAnswerBytes = 32 * 1_048_576;

/** Failures before anything was written: the request certainly did not arrive. */
const unsent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** One request, one try, the answer read as a whole. Never throws. `headers` are empty without an answer. */
export async function exchangeWhole(pool: Pool, request: WholeRequest): Promise<{ exchange: Exchange; headers: IncomingHttpHeaders }> {
  const { method, path, headers, body, timeoutMs, signal } = request;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await pool.request({
      method,
      path,
      headers,
      body: body.length === 0 ? null : Readable.from(body),
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    return { exchange: await readWhole(response), headers: response.headers };
  } catch (error) {
    return { exchange: failure(error, limit.aborted ? `no answer within ${timeoutMs / 1000} s` : undefined), headers: {} };
  }
}

export const bodyLength = (body: readonly Uint8Array[]): number => body.reduce((sum, piece) => sum + piece.length, 0);

async function readWhole({ statusCode: status, body }: Dispatcher.ResponseData): Promise<Exchange> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxAnswerBytes) return { kind: "lost", reason: `HTTP ${status} with an answer of more than ${maxAnswerBytes} bytes` };
    chunks.push(chunk);
  }
  return { kind: "answered", status, body: Buffer.concat(chunks) };
}

/** Errors of several addresses tried at once have no message of their own. */
function failure(error: unknown, known: string | undefined): Exchange {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const words = error instanceof Error ? error.message || code || error.name : String(error);
  return { kind: unsent.has(code) ? "not_sent" : "lost", reason: known ?? words };
}
