import type { PhonePattern } from "../../../core/phone-pattern.ts";
import type { Sql } from "../../connect.ts";

/** Whom to forget. */
export interface Person {
  /** Finds the phone in texts. */
  pattern: PhonePattern;
  /** Finds it in the ids of the platform's messages, which hold it in base64. */
  encodedPattern: string;
  /** Every way to write it: E.164. */
  phones: string[];
  /** What stands in its place. */
  mask: string;
  /** Rows with greater ids are not concerned. */
  below: string;
}

/** A part of a site's rows. */
export interface PageOf {
  siteId: string;
  after: string;
  limit: number;
}

/** What a page came to. */
export interface PageResult {
  /** Null at the end. */
  next: string | null;
  scanned: number;
  /** Rows changed or removed, by table. */
  counts: Record<string, number>;
  /** Rows that are in use and must be looked at again. */
  postponed: number;
}

/** The ids of the next rows of a table, in order. */
export async function readIds(sql: Sql, table: string, { siteId, after, limit }: PageOf, below: string | null): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${sql(table)} where site_id = ${siteId} and id > ${after} ${below === null ? sql`` : sql`and id < ${below}`}
    order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** After the last id of a page: null when the page was not full. */
export const nextOf = (ids: readonly string[], limit: number): string | null => (ids.length === limit ? (ids.at(-1) ?? null) : null);
