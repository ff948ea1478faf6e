import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isRefusedBecause } from "shared/core/refused";
import { headerNames } from "shared/core/sources/sources";
import { wellFormed } from "shared/core/text";
import { uuidv7 } from "shared/core/uuid";
import { addRefusedRequests, type RefusedRequestRow } from "shared/db/refused-request";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import { RequestRefused } from "../refusal.ts";
import type { SiteConfig } from "./sites.ts";

/** A request whose sender is known. */
export interface KnownRequest {
  headers: IncomingHttpHeaders;
  /** What the path or the shop calls the event; empty where nothing does. */
  event: string;
  receivedAt: Date;
  /** Undefined where it was not read to its end. */
  body: Buffer | undefined;
}

/** Remembers what senders are refused, for whoever sets them up. */
export interface RefusedRequests {
  /** Notes the request where `error` refuses it for a reason of its own. Never throws. */
  note(site: Pick<SiteConfig, "id">, request: KnownRequest, error: unknown): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

/** Between two writes: of more requests of a site, and of further sites, only the number is kept. */
const mostOfSite = 10;
const mostSites = 1_000;

/** Requests are gathered and written in the background. A crash loses the last second's. */
export function createRefusedRequests({ sql, log, config }: Pick<GatewayContext, "sql" | "log" | "config">): RefusedRequests {
  let pending = new Map<string, RefusedRequestRow[]>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    timer = undefined;
    const rows = [...pending.values()].flat();
    pending = new Map();
    if (rows.length === 0) return;
    try {
      await withTimeout(addRefusedRequests(sql, rows), config.timeLimits.statementMs);
    } catch (error) {
      log.debug({ err: error }, "refused requests are not noted");
    }
  };

  return {
    note(site, request, error) {
      if (!(error instanceof RequestRefused) || !isRefusedBecause(error.refusal)) return;
      const rows = pending.get(site.id) ?? [];
      if (pending.size >= mostSites && rows.length === 0) return;
      pending.set(site.id, rows);
      timer ??= setTimeout(() => void (writing = flush()), config.timeLimits.secretUsesMs).unref();
      const last = rows[mostOfSite - 1];
      if (last !== undefined) {
        last.skipped += 1;
        return;
      }
      const { event, headers, body, receivedAt } = request;
      rows.push({
        site_id: site.id,
        id: uuidv7(receivedAt.getTime(), randomBytes(10)),
        because: error.refusal,
        event: readable(event, longestName),
        headers: shownHeaders(headers),
        bytes: body?.length ?? null,
        sha256: body === undefined ? null : createHash("sha256").update(body).digest("hex"),
        start: body === undefined ? null : readable(body.subarray(0, startBytes).toString("utf8"), startBytes),
        skipped: 0,
      });
    },
    stop: async () => {
      clearTimeout(timer);
      await writing;
      await flush();
    },
  };
}

const startBytes = 256;
const longestName = 200;
const longestHeader = 200;

/** What the reader needs, and no key. */
const shownNames = ["content-type", "content-encoding", "content-length", "user-agent", ...headerNames.shown, ...headerNames.topics];
/** Of a signature: a whole one would let its reader send the request once more. */
const shownOfSignature = 12;

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

/** Without control characters, which neither a page nor the database takes. */
const readable = (text: string, longest: number): string => wellFormed(text.slice(0, longest)).replaceAll(/\p{Cc}/gu, "·");
