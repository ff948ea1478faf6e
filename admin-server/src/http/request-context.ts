import { TRPCError } from "@trpc/server";
import type { Context as KoaContext } from "koa";
import type { AdminContext, RequestContext } from "../context.ts";
import type { Visitor } from "../session/adapter.ts";
import type { Caller } from "../session/caller.ts";
import { identify } from "../session/identify.ts";
import { sessionCookie } from "../session/sessions.ts";
import { clientAddress } from "./client-address.ts";
import { isOwnOrigin } from "./origin.ts";
import { readCookie } from "./read-cookie.ts";

/** Who calls, and from where. Refuses a call that carries our cookie from somebody else's page. */
export async function requestContext(context: AdminContext, koa: KoaContext): Promise<RequestContext> {
  const setCookie = (cookie: string): void => koa.append("set-cookie", cookie);
  const visitor = { ...clientAddress(koa.req, context.config.trustProxy), userAgent: koa.get("user-agent").slice(0, longestUserAgent) };
  return { ...context, ...visitor, setCookie, caller: await callerOf(context, koa, visitor, setCookie) };
}

const longestUserAgent = 300;

async function callerOf(
  context: AdminContext,
  koa: KoaContext,
  visitor: Visitor,
  setCookie: (cookie: string) => void,
): Promise<Caller | null> {
  const cookie = readCookie(koa.headers.cookie, sessionCookie);
  if (cookie !== null && !isOwnOrigin(koa.headers, context.config.publicAdminUrl)) {
    throw new TRPCError({
      code: "FORBIDDEN",
      message: "This page's origin is not the dashboard's: open the dashboard by its own address (PUBLIC_ADMIN_URL)",
    });
  }
  const { authorization } = koa.headers;
  const token = authorization === undefined ? cookie : bearerToken(authorization);
  if (token === null || token === "") return null;
  const found = await identify(context, token, visitor);
  if (authorization === undefined && found !== null && found.cookie !== null) setCookie(found.cookie);
  return found?.caller ?? null;
}

const bearerToken = (header: string): string | null => /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? null;
