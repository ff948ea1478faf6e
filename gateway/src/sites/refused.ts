import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isRefusedBecause } from "shared/core/refused";
import { headerNames } from "shared/core/sources/sources";
import { wellFormed } from "shared/core/text";
import { uuidv7 } from "shared/db/ids";
import type { RefusedRequestRow } from "shared/db/refused-request";
import { refusals, RequestRefused } from "../refusal.ts";

/** A request whose sender is known. */
export interface KnownRequest {
  headers: IncomingHttpHeaders;
  /** The event's name by the path or the shop; empty if neither names one. */
  event: string;
  receivedAt: Date;
  /** The body; undefined if it was not read to its end. */
  body: Buffer | undefined;
}

/** Requests that are kept of a site between two writes: of more that are alike only the number. */
const mostOfSite = 10;

/** The rows by site until they are written. */
interface Kept {
  get: (siteId: string) => RefusedRequestRow[] | undefined;
  add: (siteId: string, rows: RefusedRequestRow[]) => void;
}

/** Keeps the request if `error` refuses it for a reason of its own. */
export function keepRefused(kept: Kept, siteId: string, request: KnownRequest, error: unknown): void {
  if (!(error instanceof RequestRefused)) return;
  const because = refusals[error.refusal].listedAs ?? error.refusal;
  if (!isRefusedBecause(because)) return;
  const rows = kept.get(siteId) ?? [];
  const isAlike = (row: RefusedRequestRow): boolean => row.because === because && isSigned(row.headers) === isSigned(request.headers);
  const alike = rows.length < mostOfSite ? undefined : rows.findLast(isAlike);
  if (alike === undefined) kept.add(siteId, [toRow(siteId, because, request)]);
  else alike.skipped += 1;
}

const toRow = (siteId: string, because: RefusedRequestRow["because"], { event, headers, body, receivedAt }: KnownRequest) => ({
  site_id: siteId,
  id: uuidv7(receivedAt.getTime(), randomBytes(10)),
  because,
  event: readable(event, longestName),
  headers: shownHeaders(headers),
  bytes: body?.length ?? null,
  sha256: body === undefined ? null : createHash("sha256").update(body).digest("hex"),
  start: body === undefined ? null : readable(body.subarray(0, startBytes).toString("utf8"), startBytes),
  skipped: 0,
});

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
