import type { IncomingMessage, IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { Context as KoaContext } from "koa";
import { say } from "shared/core/wording";
import { createHostCheck, isLoopback, withoutMapping } from "shared/server/hosts";
import type { AdminContext, RequestContext } from "../context.ts";
import { spendOfToken } from "../session/allowance.ts";
import type { Caller } from "../session/caller.ts";
import { identify, isSecure, readCookies } from "../session/sessions.ts";
import { Refusal, StepNeeded } from "../trpc/errors.ts";
import { createTurns } from "../trpc/turns.ts";

/** @throws TRPCError FORBIDDEN for a call that carries our cookie from a foreign page */
export async function requestContext(context: AdminContext, koa: KoaContext): Promise<RequestContext> {
  const visit = visitContext(context, koa);
  return { ...visit, caller: await callerOf(visit, koa) };
}

/** The request without its caller. */
export function visitContext(context: AdminContext, koa: KoaContext): RequestContext {
  const setCookie = (cookie: string | string[]): void => koa.append("set-cookie", cookie);
  let behind = 0;
  const noteLag = (seconds: number): void => {
    behind = Math.max(behind, Math.ceil(seconds));
    koa.set("x-service-lag", String(behind));
  };
  const userAgent = koa.get("user-agent").slice(0, longestUserAgent);
  const deviceCookie = readCookies(koa.headers.cookie, isSecure(context.config)).device;
  const client = clientAddress(koa.req, context.config.trustProxy);
  return {
    ...context,
    ...client,
    userAgent,
    deviceCookie,
    setCookie,
    noteLag,
    turns: createTurns(goneSignal(koa)),
    isInTurn: false,
    caller: null,
  };
}

/** Aborts when the client is gone. */
export function goneSignal({ res }: KoaContext): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  return gone.signal;
}

const longestUserAgent = 300;

async function callerOf(visit: RequestContext, koa: KoaContext): Promise<Caller | null> {
  const { config, setCookie } = visit;
  const cookie = readCookies(koa.headers.cookie, isSecure(config)).session;
  if (cookie !== null && !isOwnOrigin(koa.headers, config.publicAdminUrl)) {
    throw new Refusal(
      "FORBIDDEN",
      say("This page's origin is not the dashboard's: open the dashboard by its own address (PUBLIC_ADMIN_URL)"),
    );
  }
  const { authorization } = koa.headers;
  const token = authorization === undefined ? cookie : (/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null);
  if (token === null || token === "") return null;
  const found = await identify(visit, token, visit);
  if (authorization === undefined && found !== null && found.cookie !== null) setCookie(found.cookie);
  if (found === null) return null;
  const { caller } = found;
  if (caller.via.kind === "access-token") spendOfToken(caller.via.id);
  const page = koa.get("x-page-of");
  requireOwnPage(page, caller);
  // A page follows a change of its person's role without asking for it.
  if (page !== "") koa.set("x-page-role", caller.role);
  return caller;
}

/**
 * Refuses what a page of one person sends in the session of another, who has signed in beside it. `page`: the ids of the person and the account that the page is
 * of, as the dashboard names them with each call but those that ask who is there; empty: it names none. @throws TRPCError FORBIDDEN
 */
function requireOwnPage(page: string, { userId, accountId }: Caller): void {
  if (page !== "" && page !== `${userId} ${accountId}`)
    throw new Refusal("FORBIDDEN", say("Someone else has signed in since this page was opened"), new StepNeeded("other_person"));
}

/**
 * The client's address. Behind a trusted proxy it is the last entry of X-Forwarded-For, which the proxy wrote; the entries before it came with the request and
 * prove nothing. `isLocal`: the request comes from this machine itself, by its own address, and not through a proxy on it.
 */
export function clientAddress(request: IncomingMessage, trustProxy: boolean) {
  const socketAddress = withoutMapping(request.socket.remoteAddress ?? "");
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",");
  const last = trustProxy ? withoutPort(forwarded.split(",").at(-1)?.trim() ?? "") : "";
  const address = isIP(last) === 0 ? socketAddress : withoutMapping(last);
  const wasPassedOn = Object.keys(request.headers).some((name) => name === "forwarded" || name.startsWith("x-forwarded-"));
  const { host } = request.headers;
  return { address, isLocal: isLoopback(address) && !wasPassedOn && host !== undefined && isLoopbackHost(host) };
}

const isLoopbackHost = createHostCheck([]);

const withoutPort = (address: string): string => address.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");

/**
 * Whether the calling page is ours: of the public URL, or of the request's own Host. Browsers send Origin with every request by which a foreign page could do
 * harm; programs send none.
 */
export function isOwnOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return !foreignSites.has(headers["sec-fetch-site"]?.toString() ?? "");
  const page = URL.canParse(origin) ? new URL(origin) : null;
  if (page === null || !["http:", "https:"].includes(page.protocol)) return false;
  const own = new URL(publicUrl);
  if (page.protocol === own.protocol && place(page) === place(own)) return true;
  // A proxy may have ended https before us, so Host is read with the page's scheme; but somebody on the way can put anything into a plain page.
  if (page.protocol === "http:" && own.protocol === "https:" && !isLoopbackHost(page.host)) return false;
  const target = `${page.protocol}//${host ?? ""}`;
  return host !== undefined && URL.canParse(target) && place(new URL(target)) === place(page);
}

/** Values of Sec-Fetch-Site, which browsers send with a GET that has no Origin. Typed addresses and bookmarks are `none`. */
const foreignSites = new Set(["cross-site", "same-site"]);

const localNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Host and port; the names of this machine count as one. */
function place(url: URL): string {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return `${localNames.has(url.hostname) ? "localhost" : url.hostname}:${port}`;
}
