import { randomFillSync, hash } from "node:crypto";
import type { Fragment } from "postgres";
import type { OrderReference } from "../core/event.ts";
import type { SiteMode } from "../core/site.ts";
import { uuidv7 } from "../core/uuid.ts";
import type { Sql } from "./connect.ts";

const counterLimit = 0x1000;

/** Random bytes for many ids at once: a call to the system's random source costs more than the bytes. */
const pool = new Uint8Array(10 * 400);
let used = pool.length;

let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7 of this moment, greater than every earlier one of this process, even when the clock steps back: the 12 bits after the version count up within
 * a millisecond (RFC 9562, 6.2, method 1).
 */
export function newId(): string {
  const random = tenRandomBytes();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = random[0] ?? 0;
  } else {
    counter += 1;
    if (counter === counterLimit) {
      lastMs += 1;
      counter = 0;
    }
  }
  random[0] = counter >> 8;
  random[1] = counter;
  return uuidv7(lastMs, random);
}

function tenRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += 10));
}

/**
 * The id of a site's order, computed from the reference in the payload, so that no look-up is needed: the SHA-256 of the site's id and the hashed
 * reference (which may have any length), in the form of a UUID of version 8. A checkout's is made in the same way.
 */
export function orderId(siteId: string, { kind, value }: OrderReference | { kind: "checkout"; value: string }): string {
  // One character a byte: `hash` makes a text faster than a buffer.
  const reference = hash("sha256", `${kind}:${value}`, "binary");
  const hex = hash("sha256", Buffer.from(siteId + reference, "latin1"));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A page of a list, newest first. `before`: the id that it starts after, null for the first. */
export interface IdPage {
  before: string | null;
  limit: number;
}

/** SQL: the end of a statement that answers such a page; the rows are ordered by `column`. */
export const newestFirst = (sql: Sql, { before, limit }: IdPage, column = "id") =>
  sql`${before === null ? sql`` : sql`and ${sql(column)} < ${before}`} order by ${sql(column)} desc limit ${limit}`;

/** The ids that a page of the log may show: `from` included, `before` excluded. Ids carry their time, so the bounds also select partitions. */
export interface LogPage extends IdPage {
  from: string | null;
}

/** SQL: `and` conditions that keep the ids of `column` within the bounds of a page. */
export const withinPage = (sql: Sql, { from, before }: Pick<LogPage, "from" | "before">, column = "id") =>
  sql`${from === null ? sql`` : sql`and ${sql(column)} >= ${from}`} ${before === null ? sql`` : sql`and ${sql(column)} < ${before}`}`;

/** The rows that one page of a list looks at where no index gives those of its filter in order. */
const mostWalked = 10_000;

/**
 * The id at which such a page ends; null when it looks at all.
 * @param owners SQL: each `owner` of a part of the rows.
 * @param rows SQL: an owner's rows, as far as the condition that follows.
 */
export async function findWalkEnd(
  sql: Sql,
  owners: Fragment,
  rows: Fragment,
  { from, before }: Pick<LogPage, "from" | "before">,
  most = mostWalked,
): Promise<string | null> {
  const [row] = await sql<[{ id: string | null }]>`
    select max(far.id::text) as id from (${owners}) own cross join lateral (
      select id from ${rows} ${withinPage(sql, { from, before })}
      order by id desc offset greatest(${Math.ceil(most / 40)}::integer, ${most}::integer / (select count(*)::integer from (${owners}) s)) limit 1
    ) far`;
  return row.id;
}

/** SQL: a condition on `site`: one of them, or those of a mode. */
export const ofSites = (sql: Sql, { siteId, siteMode }: { siteId?: string | undefined; siteMode?: SiteMode | undefined }) =>
  sql`${siteId === undefined ? sql`` : sql`and id = ${siteId}`} ${siteMode === undefined ? sql`` : sql`and mode = ${siteMode}`}`;

/** The sites of a count: one; null: those of a mode, the live ones unless given. */
export interface CountedSites {
  siteId: string | null;
  siteMode?: SiteMode | undefined;
}

/** SQL: a condition on sites by their table's name. */
export const countedSites = (sql: Sql, site: "s" | "site", { siteId, siteMode = "live" }: CountedSites) =>
  siteId === null ? sql`and ${sql(site)}.mode = ${siteMode}` : sql`and ${sql(site)}.id = ${siteId}`;
