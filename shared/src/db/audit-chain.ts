import { createHash } from "node:crypto";
import { digestOfValues } from "./audit.ts";
import type { Sql } from "./connect.ts";

/** How far an account's chain was followed, and the first thing that is wrong with it. */
export interface ChainReport {
  accountId: string;
  entries: number;
  /** Of the last entry, in hex; empty when there is none. */
  head: string;
  broken: BrokenEntry | null;
  /** Hashes that were to be found and were not. */
  missing: string[];
}

export interface BrokenEntry {
  seq: number;
  id: string | null;
  reason: string;
}

/** The accounts that have, or should have, a chain; a page of 500 after `after`. */
export async function listChains(sql: Sql, after: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from account where id > ${after} and (exists (select from audit_entry where account_id = account.id)
      or exists (select from audit_head where account_id = account.id)) order by id limit 500`;
  return rows.map(({ id }) => id);
}

/**
 * Follows an account's chain from its first entry, a page at a time, and stops at the first entry that is not as it was written. `kept`: hashes in hex that
 * stand in the chain if nothing was taken off its end since they were its head.
 */
export async function followChain(
  sql: Sql,
  accountId: string,
  kept: readonly string[] = [],
  onPage: (entries: number) => void = () => undefined,
): Promise<ChainReport> {
  const missing = new Set(kept);
  // Read first: what is appended meanwhile lies beyond.
  const [last] = await sql<{ seq: string; hash: Buffer }[]>`select seq, hash from audit_head where account_id = ${accountId}`;
  let [seq, previous]: [number, Buffer] = [0, Buffer.alloc(0)];
  const report = (broken: BrokenEntry | null): ChainReport => ({
    accountId,
    entries: seq,
    head: previous.toString("hex"),
    broken,
    missing: broken === null ? [...missing] : [],
  });
  for (let rows = await readLinks(sql, accountId, 0); rows.length > 0; rows = await readLinks(sql, accountId, seq)) {
    for (const row of rows) {
      const reason = faultOf(row, seq + 1, previous);
      if (reason !== null) return report({ seq: seq + 1, id: row.seq === seq + 1 ? row.id : null, reason });
      seq = row.seq;
      previous = row.hash;
      missing.delete(previous.toString("hex"));
      if (seq === Number(last?.seq ?? 0) && last !== undefined && !last.hash.equals(previous))
        return report({ seq, id: row.id, reason: "it is not the entry that was noted as the chain's last" });
    }
    onPage(seq);
  }
  if (seq < Number(last?.seq ?? 0)) return report({ seq: seq + 1, id: null, reason: `it is missing, and so are all up to ${last?.seq}` });
  return report(null);
}

/** Bounds what is in memory: an entry has some 10 KB at most. */
const linksAtOnce = 500;

interface LinkRow {
  id: string;
  previous: Buffer;
  hash: Buffer;
  values_digest: Buffer | null;
  has_values: boolean;
  salt: Buffer | null;
  content: string | null;
}

interface Link extends LinkRow {
  seq: number;
  /** What the hash covers, in order. */
  covered: (string | null)[];
}

async function readLinks(sql: Sql, accountId: string, after: number): Promise<Link[]> {
  const rows = await sql<(LinkRow & Record<Exclude<(typeof coveredColumns)[number], keyof LinkRow>, string | null>)[]>`
    select e.seq, e.id, e.previous, e.hash, e.values_digest, e.account_id, floor(extract(epoch from e.created_at) * 1000000)::bigint as at,
      e.actor, e.actor_id, e.token_id, e.action, e.subject, e.address, e.changes::text as changes,
      v.entry_id is not null as has_values, v.salt, v.content::text as content
    from audit_entry e left join audit_value v on v.entry_id = e.id
    where e.account_id = ${accountId} and e.seq > ${after} order by e.seq limit ${linksAtOnce}`;
  return rows.map((row) => ({
    ...row,
    seq: Number(row.seq),
    covered: coveredColumns.map((name) => {
      const value = row[name];
      return Buffer.isBuffer(value) ? value.toString("hex") : value;
    }),
  }));
}

/** In the order of the database's function `audit_hash`. */
const coveredColumns = [
  "account_id",
  "seq",
  "previous",
  "id",
  "at",
  "actor",
  "actor_id",
  "token_id",
  "action",
  "subject",
  "address",
  "changes",
  "values_digest",
] as const;

/** The hash of an entry: SHA-256 over each value with its length in bytes, and `-` for null. */
function hashOf(covered: readonly (string | null)[]): Buffer {
  const text = covered.map((value) => `${value === null ? "-" : `${Buffer.byteLength(value)}:${value}`}\n`).join("");
  return createHash("sha256").update(`tidings audit 1\n${text}`).digest();
}

function faultOf(link: Link, seq: number, previous: Buffer): string | null {
  if (link.seq !== seq) return `it is missing: the next entry that there is has the number ${link.seq}`;
  if (!link.previous.equals(previous)) return "it does not follow the entry before it";
  if (!link.hash.equals(hashOf(link.covered))) return "its content is not what its hash was made of";
  if (link.values_digest === null) return link.has_values ? "personal values were added to it" : null;
  if (!link.has_values) return "its personal values were deleted, which is not how erasing empties them";
  if (link.salt === null || link.content === null) return null;
  return digestOfValues(link.salt, link.content).equals(link.values_digest) ? null : "its personal values were changed";
}
