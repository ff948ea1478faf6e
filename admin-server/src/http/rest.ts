import type { Middleware, Context as KoaContext } from "koa";
import { say } from "shared/core/wording";
import type { AdminContext } from "../context.ts";
import { adminDocument } from "../rest/openapi.ts";
import { readQuery, restPrefix, restProcedures } from "../rest/procedures.ts";
import { appRouter } from "../router.ts";
import { type InputIssue, Refusal } from "../trpc/errors.ts";
import { goneSignal } from "./request-context.ts";
import { call, callWith, packed, postOf, wrongMethod } from "./trpc-route.ts";

/** `GET /api/openapi.json`: the REST API's description, for everybody. */
export function documentRoute({ config }: AdminContext): Middleware {
  let text: string | undefined;
  return async (koa, next) => {
    if (koa.path !== "/api/openapi.json" || !["GET", "HEAD"].includes(koa.method)) return next();
    text ??= JSON.stringify(adminDocument(config.publicAdminUrl));
    koa.set({ "cache-control": "no-cache", "access-control-allow-origin": "*" });
    koa.body = await packed(koa, text);
    koa.type = "application/json";
  };
}

/** The procedures as REST: a query is GET, a mutation POST, below `/api/v1`. A query whose input is too long for an address may be POST too. */
export function restRoute(context: AdminContext): Middleware {
  return async (koa, next) => {
    if (!koa.path.startsWith(restPrefix)) return next();
    const response = await call(context, koa, async (maxBytes) => readCall(koa, maxBytes));
    const told = (await response.json()) as { result: { data?: unknown } } | { error: Told };
    koa.status = response.status;
    const retryAfter = response.headers.get("retry-after");
    if (retryAfter !== null) koa.set("retry-after", retryAfter);
    koa.type = "application/json";
    koa.body = JSON.stringify("error" in told ? { error: bare(told.error) } : (told.result.data ?? null));
  };
}

async function readCall(koa: KoaContext, maxBytes: number): Promise<Request> {
  const address = koa.path.slice(restPrefix.length);
  const path = address.includes(".") ? address.replaceAll(".", "/") : address.replaceAll("/", ".");
  const procedure = restProcedures.get(path);
  const url = new URL(`/trpc/${encodeURIComponent(path)}`, "http://localhost");
  if (procedure === undefined && Object.hasOwn(appRouter._def.procedures, path))
    throw new Refusal("FORBIDDEN", say("Access tokens cannot call {path}: sign in", { path }));
  // tRPC itself says that there is none, and what has taken the place of one that is gone.
  if (procedure === undefined) return callWith(url, "{}");
  if (koa.method === "GET" && procedure.method === "GET")
    return callWith(url, JSON.stringify(readQuery(procedure, new URLSearchParams(koa.querystring))), { signal: goneSignal(koa) });
  if (koa.method !== "POST") throw wrongMethod(koa, procedure.method === "GET" ? "GET, POST" : "POST");
  return await postOf(koa, url, maxBytes);
}

interface Told {
  message: string;
  data: { code: string; issues: InputIssue[] | null };
}

const bare = ({ message, data: { code, issues } }: Told) => ({ code, message, ...(issues !== null && { issues }) });
