import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isRefusedBecause } from "shared/core/refused";
import { headerNames } from "shared/core/sources/sources";
import { wellFormed } from "shared/core/text";
import { uuidv7 } from "shared/core/uuid";
import { addRefusedRequests, type RefusedRequestRow } from "shared/db/refused-request";
import type { GatewayContext } from "../context.ts";
import { refusals, RequestRefused } from "../refusal.ts";
import { createGathered } from "./notes.ts";
import type { SiteConfig } from "./sites.ts";

/** A request whose sender is known. */
export interface KnownRequest {
  headers: IncomingHttpHeaders;
  /** The event's name by the path or the shop; empty if neither names one. */
  event: string;
  receivedAt: Date;
  /** The body; undefined if it was not read to its end. */
  body: Buffer | undefined;
}

/** Remembers refused requests for the people who set their senders up. */
export type RefusedRequests = ReturnType<typeof createRefusedRequests>;

/** Requests that are kept of a site between two writes, and sites: of more requests that are alike only the number is kept, and further sites are left out. */
const mostOfSite = 10;
const mostSites = 1_000;

export function createRefusedRequests(context: Pick<GatewayContext, "sql" | "log" | "config">) {
  const kept = createGathered<RefusedRequestRow[]>(context, {
    name: "refused requests",
    everyMs: context.config.timeLimits.secretUsesMs,
    most: mostSites,
    write: (rows) => addRefusedRequests(context.sql, rows.flat()),
  });
  return {
    /** Notes the request if `error` refuses it for a reason of its own. Never throws. */
    note(site: Pick<SiteConfig, "id">, request: KnownRequest, error: unknown): void {
      if (!(error instanceof RequestRefused)) return;
      const because = refusals[error.refusal].listedAs ?? error.refusal;
      if (!isRefusedBecause(because)) return;
      const rows = kept.get(site.id) ?? [];
      const isAlike = (row: RefusedRequestRow): boolean => row.because === because && isSigned(row.headers) === isSigned(request.headers);
      const alike = rows.length < mostOfSite ? undefined : rows.findLast(isAlike);
      if (alike === undefined) kept.set(site.id, [...rows, toRow(site.id, because, request)]);
      else alike.skipped += 1;
    },
    stop: kept.stop,
  };
}

function toRow(
  siteId: string,
  because: RefusedRequestRow["because"],
  { event, headers, body, receivedAt }: KnownRequest,
): RefusedRequestRow {
  return {
    site_id: siteId,
    id: uuidv7(receivedAt.getTime(), randomBytes(10)),
    because,
    event: readable(event, longestName),
    headers: shownHeaders(headers),
    bytes: body?.length ?? null,
    sha256: body === undefined ? null : createHash("sha256").update(body).digest("hex"),
    start: body === undefined ? null : readable(body.subarray(0, startBytes).toString("utf8"), startBytes),
    skipped: 0,
  };
}

const startBytes = 256;
const longestName = 200;
const longestHeader = 200;

/** The headers that the reader needs, none of which holds a key. */
const shownNames = ["content-type", "content-encoding", "content-length", "user-agent", ...headerNames.shown, ...headerNames.topics];
/** The characters that are kept of a signature: with a whole one, its reader could send the request once more. */
const shownOfSignature = 12;

const isSigned = (headers: IncomingHttpHeaders): boolean => headerNames.signatures.some((name) => headers[name] !== undefined);

function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const textOf = (name: string): string => readable(String(headers[name]), longestHeader);
  const given = (names: readonly string[]): string[] => names.filter((name) => headers[name] !== undefined);
  return Object.fromEntries([
    ...given(shownNames).map((name) => [name, textOf(name)]),
    ...given(headerNames.signatures).map((name) => [
      name,
      `${textOf(name).slice(0, shownOfSignature)}… (${String(headers[name]).length} characters)`,
    ]),
  ]);
}

/** The text without control characters, which neither a page nor the database takes. */
const readable = (text: string, longest: number): string => wellFormed(text.slice(0, longest)).replaceAll(/\p{Cc}/gu, "·");
