import type { IncomingHttpHeaders } from "node:http";
import type { SandboxContext } from "../context.ts";

/** A request as the handlers see it, whatever version its path named. */
export interface SandboxRequest {
  method: string;
  /** Without the version segment. */
  path: string;
  /** Major version of the path, null when it named none. */
  version: number | null;
  /** The path's named segments, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Scheme and host as the caller wrote them, for links. */
  origin: string;
  /** The whole body; throws a `GraphError` beyond `limit` bytes. */
  readBody(limit: number): Promise<Buffer>;
}

export type Answer = JsonAnswer | HtmlAnswer | "reset";

export interface JsonAnswer {
  status?: number;
  json: unknown;
  headers?: Record<string, string>;
}

/** What the platform's edge says when what is behind it does not. */
export interface HtmlAnswer {
  status: number;
  html: string;
}

export type Handler = (context: SandboxContext, request: SandboxRequest) => Answer | Promise<Answer>;
