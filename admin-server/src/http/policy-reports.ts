import { TRPCError } from "@trpc/server";
import type { Context as KoaContext, Middleware } from "koa";
import { attempt, shorten } from "shared/core/text";
import { createHostCheck } from "shared/server/hosts";
import { networkOf } from "shared/server/networks";
import { z } from "zod";
import type { AdminContext } from "../context.ts";
import { refuseWith } from "./refusals.ts";
import { clientAddress } from "./request-context.ts";
import { reportsPath } from "./security-headers.ts";
import { readBody } from "./trpc-route.ts";

const maxBytes = 8_192;

/**
 * `POST /policy-reports`, by anybody: answers 204 to a report, whatever it says. A violation on one of our own pages is logged when it comes for the
 * first, the tenth, the hundredth … time within an hour; reports beyond the limits, or of other pages, are dropped. Other types are answered 415, larger
 * bodies 413.
 */
export function policyReportsRoute({ config, log, clock }: ReportsContext): Middleware {
  const tally = createTally(clock);
  const isOurs = createHostCheck([config.host, new URL(config.publicAdminUrl).host, ...config.allowedHosts]);
  return async (koa, next) => {
    if (koa.path !== reportsPath || koa.method !== "POST") return next();
    koa.set("cache-control", "no-store");
    if (!koa.is("application/csp-report", "application/reports+json"))
      return refuse(koa, 415, "Send a report as application/csp-report or application/reports+json");
    if (!tally.admits(networkOf(clientAddress(koa.req, config.trustProxy).address))) return drop(koa);
    const body = await readBody(koa, maxBytes).catch((fault: TRPCError) => fault);
    if (body instanceof TRPCError && body.code === "PAYLOAD_TOO_LARGE") return refuse(koa, 413, `A report has at most ${maxBytes} bytes`);
    for (const { host, ...violation } of violationsIn(body.toString())) {
      if (!isOurs(host)) continue;
      const { times, isApart, isTold } = tally.count(JSON.stringify(violation));
      if (isTold) log.warn({ ...(isApart ? violation : { others: true }), times }, "the content security policy has blocked something");
    }
    koa.status = 204;
  };
}

type ReportsContext = Pick<AdminContext, "log" | "clock"> & {
  config: Pick<AdminContext["config"], "host" | "publicAdminUrl" | "allowedHosts" | "trustProxy">;
};

/** Answers a request without reading its body. */
function drop(koa: KoaContext): void {
  koa.set("connection", "close");
  koa.status = 204;
}

function refuse(koa: KoaContext, status: number, error: string): void {
  koa.set("connection", "close");
  refuseWith(koa, status, error);
}

const textMember = z.string().optional().catch(undefined);
const lineMember = z.number().int().nonnegative().optional().catch(undefined);

/** The two forms in which browsers report, the older one by `report-uri`. */
const reportSchema = z.union([
  z
    .object({
      "csp-report": z.object({
        "document-uri": z.string(),
        "effective-directive": textMember,
        "violated-directive": textMember,
        "blocked-uri": textMember,
        "source-file": textMember,
        "line-number": lineMember,
      }),
    })
    .transform(({ "csp-report": report }) => ({
      documentURL: report["document-uri"],
      effectiveDirective: report["effective-directive"] ?? report["violated-directive"],
      blockedURL: report["blocked-uri"],
      sourceFile: report["source-file"],
      lineNumber: report["line-number"],
    })),
  z
    .object({
      type: z.literal("csp-violation"),
      body: z.object({
        documentURL: z.string(),
        effectiveDirective: textMember,
        blockedURL: textMember,
        sourceFile: textMember,
        lineNumber: lineMember,
      }),
    })
    .transform(({ body }) => body),
]);

/** `host`: that of the page's address. */
const violationsIn = (text: string) =>
  [attempt((): unknown => JSON.parse(text), null)].flat().flatMap((report) => {
    const { success, data } = reportSchema.safeParse(report);
    if (!success || !URL.canParse(data.documentURL)) return [];
    const { host, pathname } = new URL(data.documentURL);
    if (host === "") return [];
    return {
      host,
      page: clean(pathname),
      directive: clean(data.effectiveDirective),
      blocked: clean(withoutQuery(data.blockedURL)),
      source: clean(withoutQuery(data.sourceFile)),
      line: data.lineNumber,
    };
  });

/** Queries and fragments may hold what a person looked for. */
const withoutQuery = (url = ""): string => url.replace(/[?#].*/su, "");

const longestTold = 200;

/** Makes a text fit for the log: short, without control characters, lone surrogates or marks of direction. */
const clean = (text = ""): string => shorten(text.slice(0, longestTold + 1), longestTold).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");

/** The most reports in a minute. */
const mostReports = { ofNetwork: 10, inAll: 100 };
/** The most kinds of violations that are counted apart in an hour. */
const mostKinds = 50;

/** Counts reports by the minute and violations by the hour, within a bounded memory. */
function createTally(clock: () => Date) {
  const networks = createWindow(60_000);
  const kinds = createWindow(3_600_000);
  return {
    /** Whether one more report of a network is read. */
    admits(network: string): boolean {
      const counts = networks(clock());
      const sum = counts.get("") ?? 0;
      const own = counts.get(network) ?? 0;
      if (sum >= mostReports.inAll || own >= mostReports.ofNetwork) return false;
      counts.set("", sum + 1).set(network, own + 1);
      return true;
    },
    /** `isApart`: it is counted by itself, not with the others. `isTold`: its count is a power of ten. */
    count(kind: string): { times: number; isApart: boolean; isTold: boolean } {
      const counts = kinds(clock());
      const isApart = counts.has(kind) || counts.size < mostKinds;
      const key = isApart ? kind : "";
      const times = (counts.get(key) ?? 0) + 1;
      counts.set(key, times);
      return { times, isApart, isTold: /^10*$/u.test(String(times)) };
    },
  };
}

/** Counts that begin anew with each full period. */
function createWindow(periodMs: number): (now: Date) => Map<string, number> {
  let [period, counts] = [-1, new Map<string, number>()];
  return (now) => {
    const current = Math.floor(now.getTime() / periodMs);
    if (current !== period) [period, counts] = [current, new Map()];
    return counts;
  };
}
