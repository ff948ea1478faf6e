import type { Sql } from "../../connect.ts";

/** A table and the site whose rows of it are looked through; null for what is the account's. */
export interface ErasureStep {
  table: string;
  siteId: string | null;
}

/** A request to forget a person. */
export interface ErasureRow {
  id: string;
  account_id: string;
  requested_by: string;
  requested_at: Date;
  /** Of the phone, masked. */
  hint: string;
  steps: ErasureStep[];
  pass: number;
  step: number;
  /** A bigint, as text. */
  scanned: string;
  counts: Record<string, number>;
  finished_at: Date | null;
}

export const erasureColumns = (sql: Sql) =>
  sql`id, account_id, requested_by, requested_at, hint, steps, pass, step, scanned, counts, finished_at`;
