import type { Middleware } from "koa";
import type { AdminContext } from "../context.ts";
import { clientAddress } from "./request-context.ts";

/** Longer paths are cut. */
const longestPath = 200;

/** Writes a line for each request and counts it. Never headers, query or body: they hold cookies, tokens and people's data. */
export function accessLog({ config, log, metrics, pulse }: AdminContext): Middleware {
  // All members are named below and none is a secret: redaction would cost more than writing the line.
  const lines = log.child({}, { redact: [] });
  return async (koa, next) => {
    const since = performance.now();
    if (["/trpc", "/api", "/mcp"].includes(routeOf(koa.path))) pulse?.stir();
    const { address } = clientAddress(koa.req, config.trustProxy);
    await next();
    const { method, path, status } = koa;
    metrics?.requests(`${routeOf(path)} ${status}`);
    lines.info(
      { method, path: path.slice(0, longestPath), status, ms: Math.round((performance.now() - since) * 10) / 10, from: address },
      "request",
    );
  };
}

/** The route of a path, for counting: one of a few, whatever is asked. */
const routeOf = (path: string): string =>
  /^\/(?:trpc|api|mcp|media|export|auth|assets|healthz|readyz|policy-reports)(?=\/|$)/.exec(path)?.[0] ?? "page";
