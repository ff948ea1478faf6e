import type { Sql } from "../db/connect.ts";
import { inTransaction, isLockTimeout } from "../db/transaction.ts";
import { type ResealableColumn, sealedColumns } from "../secrets/sealed-columns.ts";
import { openOrClear, type Seal, type Vault, VaultError } from "../secrets/vault.ts";
import { retry } from "../server/retry.ts";

type Name = keyof typeof sealedColumns;

/** The names of the columns that are sealed under the master key. */
export const sealedNames = Object.keys(sealedColumns) as Name[];

/** Matches what needs no sealing, as a pattern of LIKE: any record, or those under one key and bound to their place. */
export const anyRecord = "v_.%";
export const recordsUnder = (keyId: string): string => `v2.${keyId}.%`;

export interface Resealed {
  sealed: number;
  /** Records that no key of this process opens. They stay as they are. */
  unreadable: number;
}

/**
 * Seals a column's values that `done` does not match under the key that the database names, in batches; what is written meanwhile is left as it is. Any
 * number of processes may do it at once, and one that was interrupted is simply begun again.
 */
export async function resealColumn(
  sql: Sql,
  vault: Vault,
  name: Name,
  done: string,
  { stopping, onBatch }: { stopping?: AbortSignal | undefined; onBatch?: ((sealed: number) => void) | undefined } = {},
): Promise<Resealed> {
  const total: Resealed = { sealed: 0, unreadable: 0 };
  let after: string | undefined = firstId;
  while (after !== undefined && stopping?.aborted !== true) {
    const batch: Batch = await resealNext(sql, vault, name, done, after);
    total.sealed += batch.sealed;
    total.unreadable += batch.unreadable;
    after = batch.next;
    onBatch?.(total.sealed);
  }
  return total;
}

const resealNext = async (sql: Sql, vault: Vault, name: Name, done: string, after: string): Promise<Batch> =>
  retry(async () => inTransaction(sql, async (one) => resealBatch(one, vault, name, done, after)), {
    again: (error, attempt) => isLockTimeout(error) && attempt < attempts,
    pauseMs: () => pauseMs,
  });

/** How many of the column's values `done` does not match. */
export async function countUnsealed(sql: Sql, name: Name, done: string): Promise<number> {
  const { table, column } = sealedColumns[name];
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count from ${sql(table)} where ${sql(column)} is not null and ${sql(column)} not like ${done}`;
  return row.count;
}

const firstId = "00000000-0000-0000-0000-000000000000";
const batchRows = 200;
const attempts = 60;
const pauseMs = 250;

interface StoredValue {
  row: string;
  account: string;
  stored: string;
}

interface Batch extends Resealed {
  /** The last row's id; undefined at the end. */
  next: string | undefined;
}

async function resealBatch(sql: Sql, vault: Vault, name: Name, done: string, after: string): Promise<Batch> {
  const target: ResealableColumn = sealedColumns[name];
  // Shorter than the wait after which PostgreSQL looks for a deadlock: of two that wait for each other, this one gives way.
  await sql`set local lock_timeout = '300ms'`;
  const seal = await vault.sealer(sql);
  const rows = await readRows(sql, target, done, after);
  const changes = rows.flatMap((row) => resealed(vault, seal, name, row));
  if (changes.length > 0) await writeRows(sql, target, changes);
  const next = rows.length < batchRows ? undefined : rows.at(-1)?.row;
  return { sealed: changes.length, unreadable: rows.length - changes.length, next };
}

async function readRows(sql: Sql, { table, column, row, account, locks }: ResealableColumn, done: string, after: string) {
  const rows = await sql<(StoredValue & { locked: string })[]>`
    select t.${sql(row)}::text as row, ${sql.unsafe(account)}::text as account, t.${sql(column)} as stored,
      ${locks === undefined ? sql`null` : sql`t.${sql(locks)}::text`} as locked
    from ${sql(table)} t where t.${sql(column)} is not null and t.${sql(column)} not like ${done} and t.${sql(row)} > ${after}::uuid
    order by t.${sql(row)} limit ${batchRows}`;
  if (locks !== undefined) {
    const sites = [...new Set(rows.map(({ locked }) => locked))];
    await sql`select from site where id = any(${sites}::uuid[]) order by id for no key update`;
  }
  return rows;
}

function resealed(vault: Vault, seal: Seal, name: Name, { row, account, stored }: StoredValue) {
  const target: ResealableColumn = sealedColumns[name];
  const at = { column: target.sealedAs ?? name, row, account };
  try {
    return [{ row, stored, sealed: seal(openOrClear(vault, stored, at), at) }];
  } catch (error) {
    if (error instanceof VaultError) return [];
    throw error;
  }
}

/** Writes over no value that was changed meanwhile. */
const writeRows = (sql: Sql, { table, column, row }: ResealableColumn, changes: readonly object[]) =>
  sql`
    update ${sql(table)} t set ${sql(column)} = w.sealed
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as w("row" uuid, stored text, sealed text)
    where t.${sql(row)} = w."row" and t.${sql(column)} = w.stored`;
