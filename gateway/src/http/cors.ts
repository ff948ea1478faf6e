import type { Context } from "koa";

/** On every response: the API is for servers, but a tool in a browser may read it. Never with credentials. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, X-Service-Idempotent-Replay",
};

/** The ingest endpoint's preflight: 204, without authentication, whatever the path values are. */
export const answerPreflight = (ctx: Context): void => {
  ctx.status = 204;
  ctx.set({
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers":
      "Content-Type, X-Service-Site-Key, X-Service-Signature, X-Service-Timestamp, X-Service-Idempotency-Key, X-Service-Mode",
    "Access-Control-Max-Age": "86400",
  });
};
