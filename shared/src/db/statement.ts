import type postgres from "postgres";
import type { SiteMode } from "../core/site.ts";
import { doublingPause, retry } from "../server/retry.ts";

/** The first parameter of every statement: a pool or a transaction. */
export type Sql = postgres.ISql<Record<never, never>>;

/** Connections to one database, opened as they are needed. `end()` closes them. */
export type Pool = postgres.Sql<Record<never, never>>;

/** A part of a statement. */
export type Fragment = postgres.Fragment;

/** The first row that a statement answers; undefined without one, unless the type says that it always answers one. */
export function one<Row>(query: PromiseLike<readonly [Row]>): Promise<Row>;
export function one<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined>;
export async function one(query: PromiseLike<readonly unknown[]>): Promise<unknown> {
  return (await query)[0];
}

/** The value of a statement with one column: that of its first row. */
export function scalar<Row extends object>(query: PromiseLike<readonly [Row]>): Promise<Row[keyof Row]>;
export function scalar<Row extends object>(query: PromiseLike<readonly Row[]>): Promise<Row[keyof Row] | undefined>;
export async function scalar(query: PromiseLike<readonly object[]>): Promise<unknown> {
  return (await scalars(query))[0];
}

/** The values of a statement with one column. */
export const scalars = async <Row extends object>(query: PromiseLike<readonly Row[]>): Promise<Row[keyof Row][]> =>
  (await query).map((row) => Object.values(row)[0] as Row[keyof Row]);

/** Whether a statement answers any row. */
export const hasRows = async (query: PromiseLike<readonly unknown[]>): Promise<boolean> => (await query).length > 0;

/** How many rows a statement has changed. */
export const changedRows = async (query: PromiseLike<{ readonly count: number }>): Promise<number> => (await query).count;

/** A column and the type of its values, as the driver reads them. */
export interface Column<T> extends ColumnOptions {
  /** A member for the compiler alone. */
  readonly type?: T;
}

export interface ColumnOptions {
  /** The SQL that reads the column; its name by default. */
  readonly read?: string | undefined;
  /** The column's type where rows come as texts (`rowsOf`) or as JSON (`Columns.typed`); text by default. */
  readonly sqlType?: string | undefined;
  /** False if the table has no such column. */
  readonly stored?: false | undefined;
  /** The column's header in a file; absent if it is not exported. */
  readonly exportedAs?: string | undefined;
  /** How the audit tells of a change, where it takes this from here: in the clear, or as what people type freely, which may name somebody. */
  readonly audited?: "plain" | "personal" | undefined;
  /** A phone that its values are, may mention, or hold in another spelling: masked for those who may not see phones. */
  readonly holds?: "phone" | "mentions" | "encoded phone" | undefined;
}

const column = <T>(options: ColumnOptions = {}): Column<T> => options;

const each = <T, Name extends string>(kind: Column<T>, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Column<T>>;

/** A column for `columns`; `each`: several of one kind, `texts`: of texts, each read by its name. */
export const of = Object.assign(column, { each, texts: <Name extends string>(...names: Name[]) => each(column<string>(), ...names) });

export interface Columns<All> {
  readonly all: All;
  /** The names in their order. */
  readonly names: readonly (keyof All & string)[];
  /** The columns that the table has, as SQL. */
  readonly stored: string;
  /** SQL between `select` and `from`. */
  readonly read: (sql: Sql) => Fragment;
  /** The columns with their types, in the form that `json_to_recordset` takes. */
  readonly typed: string;
}

/**
 * A table's columns: the one list that its row type (`RowOf`), its statements and its exports come from. A name in camel case reads the column in snake case.
 * `alias` is the table's name in statements that join.
 */
export function columns<All extends Readonly<Record<string, Column<unknown>>>>(all: All, alias?: string): Columns<All> {
  const own = (name: string): string => (alias === undefined ? name : `${alias}.${name}`);
  const entries = Object.entries(all);
  const text = entries
    .map(([name, { read }]) =>
      read === undefined && snakeCase(name) === name ? own(name) : `${read ?? own(snakeCase(name))} as "${name}"`,
    )
    .join(", ");
  const stored = entries.flatMap(([name, column]) => (column.stored === false ? [] : snakeCase(name))).join(", ");
  const typed = entries.map(([name, { sqlType = "text" }]) => `${name} ${sqlType}`).join(", ");
  return { all, names: Object.keys(all) as (keyof All & string)[], stored, read: (sql) => sql.unsafe(text), typed };
}

/** A row with these columns. */
export type RowOf<C> =
  C extends Columns<infer All> ? { -readonly [Name in keyof All]: All[Name] extends Column<infer T> ? T : never } : never;

/** A column's name as the API has it. */
export const camelCase = <Name extends string>(name: Name): CamelCase<Name> =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The values in camel case by the names of their columns; undefined ones are left out. */
export const snakeCased = <Row extends object>(row: Row) =>
  Object.fromEntries(Object.entries(row).flatMap(([name, value]) => (value === undefined ? [] : [[snakeCase(name), value]]))) as {
    [Name in keyof Row as SnakeCase<Name>]: Exclude<Row[Name], undefined>;
  };

type SnakeCase<Name> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** The columns and values of an `insert`, or of an `update … set`; a value may be SQL, such as `asJson`. */
export const valuesOf = (
  sql: Sql,
  row: Readonly<Record<string, string | number | boolean | Date | Buffer | null | Fragment | readonly string[]>>,
) =>
  // The driver takes fragments here, which its types do not say.
  sql(row as Record<string, string>);

/** A JSON value as a parameter: a text, so that the driver's own JSON encoding cannot change it. */
export const asJson = (sql: Sql, value: object | null) => sql`${value === null ? null : JSON.stringify(value)}::text::json`;

/** Below every id. */
export const firstId = "00000000-0000-0000-0000-000000000000";

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

/** The number of rows that a statement gives. */
export const countRows = (sql: Sql, rows: Fragment) =>
  scalar(sql<[{ count: number }]>`select count(*)::integer as count from (${rows}) counted`);

/** SQL: `and` conditions that keep the ids of `column` within the bounds of a page. */
export const withinPage = (sql: Sql, { from, before }: Pick<LogPage, "from" | "before">, column = "id") =>
  sql`${from === null ? sql`` : sql`and ${sql(column)} >= ${from}`} ${before === null ? sql`` : sql`and ${sql(column)} < ${before}`}`;

/** The rows of one stretch of a list where no index gives those of its filter in order. */
export const mostWalked = 10_000;

/**
 * The id at which such a stretch ends; null when it looks at all that is left.
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

/** SQL: each of the account's sites, or those of a mode, as the `owner` of its rows. */
export const ownersOf = (sql: Sql, accountId: string, sites: Parameters<typeof ofSites>[1]) =>
  sql`select id as owner from site where account_id = ${accountId} ${ofSites(sql, sites)}`;

/** The sites of a count: one; null: those of a mode, the live ones unless given. */
export interface CountedSites {
  siteId: string | null;
  siteMode?: SiteMode | undefined;
}

/** SQL: a condition on sites by their table's name. */
export const countedSites = (sql: Sql, site: "s" | "site", { siteId, siteMode = "live" }: CountedSites) =>
  siteId === null ? sql`and ${sql(site)}.mode = ${siteMode}` : sql`and ${sql(site)}.id = ${siteId}`;

const transactionAttempts = 4;

/**
 * Runs `fn` in one transaction and answers what it answers; rolls back when it throws. A collision (`isCollision`) starts it again, so `fn` must have no
 * effect except its statements. Within a transaction it becomes a part of it, without a savepoint: what throws there ends all of it.
 */
export const inTransaction = async <T>(sql: Sql, fn: (sql: Sql) => Promise<T>): Promise<T> =>
  isPool(sql) ? retryCollisions(async () => (await sql.begin(fn)) as T, transactionAttempts) : fn(sql);

/**
 * The same for work beside others: its locks are waited for more shortly than PostgreSQL waits before it looks for a deadlock, so that if two wait for each
 * other, this one gives way. It starts again then, for a quarter of a minute.
 */
export const inGivingTransaction = <T>(sql: Sql, fn: (sql: Sql) => Promise<T>): Promise<T> =>
  retry(
    () =>
      inTransaction(sql, async (transaction) => {
        await transaction`set local lock_timeout = '300ms'`;
        return await fn(transaction);
      }),
    { again: (error, attempt) => isLockTimeout(error) && attempt < 60, pauseMs: () => 250 },
  );

const isPool = (sql: Sql): sql is Pool => "begin" in sql;

/** Runs a statement, or a transaction, again while it collides with another; five times in all by default. */
export const retryCollisions = <T>(act: () => Promise<T>, attempts = 5): Promise<T> =>
  retry(act, { again: (error, attempt) => attempt < attempts && isCollision(error) });

/** Runs a statement without effect, or with the same however often it runs, again while the database is away; `mayPause` tells whether there is time for another pause. */
export const retryWhileAway = <T>(act: (attempt: number) => Promise<T>, mayPause: (pauseMs: number) => boolean): Promise<T> =>
  retry(act, { pauseMs: doublingPause, again: (error, _, pauseMs) => isDatabaseAway(error) && mayPause(pauseMs) });

/** Rejects with `DatabaseTimeout` when the statement has no answer after `ms`: a connection that was cut silently never answers. */
export const withTimeout = <T>(statement: Promise<T>, ms: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DatabaseTimeout(ms)), ms);
    // Settles without `finally`, which would make two more promises.
    statement.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });

/** The database did not answer within this many milliseconds. The statement may or may not have been committed. */
export class DatabaseTimeout extends Error {
  override readonly name = "DatabaseTimeout";
  /** The code by which `isDatabaseAway` recognizes the error. */
  readonly code = "ETIMEDOUT";

  readonly ms: number;

  constructor(ms: number) {
    super(`no answer from the database within ${Math.round(ms)} ms`);
    this.ms = ms;
  }
}

/** Whether the statement failed because the database cannot serve now, so that a later try may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  return connectionCodes.test(code) || sqlStates.test(code);
}

/** Codes of the socket and of the driver: there is no connection, or it was lost, or it did not answer in time. */
const connectionCodes =
  /^(CONNECTION_[A-Z]+|CONNECT_TIMEOUT|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/**
 * SQLSTATEs of a server that cannot serve now: connection exceptions, invalid authorization, out of resources, shutting down or starting,
 * closed to connections, read-only after a failover, no such database yet, and conflicts with other transactions that outlived their retries.
 */
const sqlStates = /^(08...|28...|3D000|40001|40P01|53...|55000|55P03|57014|57P0.|25006|58...)$/;

/** Whether the error is a deadlock or a serialization failure: another try may succeed. */
export const isCollision = (error: unknown): boolean => ["40P01", "40001"].includes(codeOf(error));

/** Whether the error says that a row with that key is there already. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === "23505";

/** Whether the error says that the lock was not free within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03";

/** The code of an error of the database or of the connection to it; empty for other errors. */
export const codeOf = (error: unknown) => (error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "");
