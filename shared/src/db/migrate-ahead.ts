import { setTimeout as sleep } from "node:timers/promises";
import { gaveUp, patiently, shortly } from "./migrate-waits.ts";
import { type Pool, codeOf, isLockTimeout } from "./statement.ts";

/** A table of this size takes a fraction of a second to index. */
export const defaultLargeBytes = 16 * 1_048_576;

/** Does what a migration does to many rows before it, so that it holds no lock for as long as that takes. */
export async function workAhead(sql: Pool, text: string, largeBytes: number): Promise<void> {
  await fillAhead(sql, text);
  await buildAhead(sql, text, largeBytes);
}

/** Does what a migration does for each account after it, one by one, and each at one migrator at a time: two would both add what is missing. */
export async function workAfter(sql: Pool, text: string): Promise<void> {
  for (const [, work = ""] of text.matchAll(ofAccounts))
    for (const { id } of await sql<{ id: string }[]>`select id from account order by id`)
      await sql`with turn as materialized (select pg_advisory_xact_lock(${afterLock}::bigint)) select ${sql(work)}(${id}::uuid) from turn`;
}

const afterLock = 7_301_443_924;

/** The migration as it takes over what was done ahead of it, and leaves what is done after it. */
export const takeOver = (text: string): string =>
  text
    .replaceAll(newColumn, (_all, table: string, column: string, type: string, between: string, source: string) =>
      [
        addIfMissing(table, column, type),
        between,
        `update ${table} set ${column} = ${source} where ${source} is not null and ${column} is null;`,
      ].join(""),
    )
    .replaceAll(newIndex, "create index if not exists $1 on $2 $3;")
    .replaceAll(ofAccounts, "");

/** A new column, perhaps with others behind it, that takes the value of another: each row is written once more. */
const newColumn = /^alter table (\w+) add column (\w+) ([^;]+;)(.*)^update \1 set \2 = (\w+) where \5 is not null;$/gms;

const addIfMissing = (table: string, column: string, type: string): string =>
  `alter table ${table} ${`add column ${column} ${type}`.replaceAll("add column ", "add column if not exists ")}`;

/** What a running program does of each account too, so that nothing is missing where the migrator ends in between. */
const ofAccounts = /^select (adopt_alerts)\(id\) from account;$/gm;

/** How many rows are written at once: for a fraction of a second, their writers wait. */
const rowsAtOnce = 1_000;

/** Passes all rows by their ids. Those that somebody works on at the moment are left to the migration's own statement. */
async function fillAhead(sql: Pool, text: string): Promise<void> {
  for (const [, table = "", column = "", type = "", , source = ""] of text.matchAll(newColumn)) {
    await patiently(() => sql.begin((transaction) => [transaction.unsafe(shortly), transaction.unsafe(addIfMissing(table, column, type))]));
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
      if (isLockTimeout(error)) throw gaveUp(error);
      if (codeOf(error) !== undefinedColumn) throw error;
    } finally {
      await sql`select pg_advisory_unlock(${buildLock}::bigint), set_config('lock_timeout', '0', false)`;
    }
  }
}

/* oxlint-enable house/no-partition */
