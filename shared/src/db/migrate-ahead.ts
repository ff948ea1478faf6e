import { setTimeout as sleep } from "node:timers/promises";
import { hasCode, patiently, shortly } from "./migrate-waits.ts";
import type { Pool } from "./statement.ts";

/** A table of this size takes a fraction of a second to index. */
export const defaultLargeBytes = 16 * 1_048_576;

/** Does what a migration does to many rows before it, in the order of its statements, so that it holds no lock for as long as that takes. */
export async function workAhead(sql: Pool, text: string, largeBytes: number): Promise<void> {
  for (const filling of fillingsOf(text)) await fillAhead(sql, filling);
  await buildAhead(sql, text, largeBytes);
}

/** The migration as it takes over what was done ahead of it. */
export const takeOver = (text: string): string =>
  fillingsOf(text)
    .reduce((whole, { adds }) => whole.replace(adds, ifMissing(adds)), text)
    .replaceAll(newIndex, "create index if not exists $1 on $2 $3;")
    .replaceAll(newValues, "update $1 set $2 = $3 where $3 is not null and $2 is null;");

const newValues = /^update (\w+) set (\w+) = (\w+) where \3 is not null;$/gm;

/** New columns of a table, of which one takes the values of another: each row is written once more. */
interface Filling {
  table: string;
  column: string;
  source: string;
  /** The statement that adds the columns. */
  adds: string;
}

const fillingsOf = (text: string): Filling[] =>
  Array.from(text.matchAll(newValues), ([, table = "", column = "", source = ""]) => {
    const [adds = ""] = new RegExp(`^alter table ${table} add column .*;$`, "m").exec(text) ?? [];
    return { table, column, source, adds };
  }).filter(({ column, adds }) => adds.includes(`add column ${column} `));

const ifMissing = (adds: string): string => adds.replaceAll("add column ", "add column if not exists ");

/** How many rows are written at once: for a fraction of a second, their writers wait. */
const rowsAtOnce = 1_000;

/** Passes all rows by their ids. Those that somebody works on at the moment are left to the migration's own statement. */
async function fillAhead(sql: Pool, { table, column, source, adds }: Filling): Promise<void> {
  await patiently(() => sql.begin((transaction) => [transaction.unsafe(shortly), transaction.unsafe(ifMissing(adds))]));
  const [rows, from, to] = [sql(table), sql(source), sql(column)];
  for (let after: string | undefined = "00000000-0000-0000-0000-000000000000"; after !== undefined;) {
    const [last]: { id: string }[] = await sql<{ id: string }[]>`
      with page as materialized (select id from ${rows} where id > ${after} order by id limit ${rowsAtOnce}),
        open as materialized (
          select id from ${rows} where id in (select id from page) and ${from} is not null and ${to} is null for no key update skip locked
        ),
        filled as (update ${rows} set ${to} = ${from} where id in (select id from open))
      select id from page order by id desc limit 1`;
    after = last?.id;
  }
}

const buildLock = 7_301_443_923;
const newIndex = /^create index (\w+) on (\w+) (.+?);/gms;
/** How long a build waits for transactions that began before it. */
const patience = "10min";
const undefinedColumn = "42703";

/**
 * Builds the indexes that a migration makes on large tables concurrently, on partitioned ones partition by partition: its own statement then takes them over
 * instead of locking out writers for as long as it reads all rows. One whose columns are not there yet is left to the migration.
 */
async function buildAhead(sql: Pool, text: string, largeBytes: number): Promise<void> {
  /* oxlint-disable house/no-partition -- the weeks themselves are what an index is built on */
  for (const [, name = "", table = "", definition = ""] of text.matchAll(newIndex)) {
    const missing = () => sql<{ relname: string; index: string }[]>`
      select relname, index from (
        select relname, case when oid = to_regclass(${table}) then ${name} else relname || ${`_${name}`} end as index, sum(pg_relation_size(oid)) over () as bytes
        from pg_class where relkind = 'r' and (oid = to_regclass(${table}) or oid in (select inhrelid from pg_inherits where inhparent = to_regclass(${table})))
      ) t
      where (bytes >= ${largeBytes}::bigint or to_regclass(index) is not null)
        and not exists (select from pg_index where indexrelid in (to_regclass(index), to_regclass(${name})) and indisvalid) order by 1`;
    if ((await missing()).length === 0) continue;
    // A session's lock: builds wait for each other's snapshots, so those who wait for their turn must have none. It ends with the connection at the latest.
    while ((await sql`select where pg_try_advisory_lock(${buildLock}::bigint)`).length === 0) await sleep(500);
    try {
      await sql`select set_config('lock_timeout', ${patience}, false), set_config('statement_timeout', '0', false)`;
      for (const { relname, index } of await missing()) {
        // An interrupted build leaves one that is not valid.
        await sql`drop index concurrently if exists ${sql(index)}`;
        await sql.unsafe(`create index concurrently "${index}" on "${relname}" ${definition}`);
      }
    } catch (error) {
      if (!hasCode(error, [undefinedColumn])) throw error;
    } finally {
      await sql`select pg_advisory_unlock(${buildLock}::bigint), set_config('lock_timeout', '0', false)`;
    }
  }
}

/* oxlint-enable house/no-partition */
