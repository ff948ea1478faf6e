import { type Sql, scalar, scalars } from "../statement.ts";
import tables from "./tables.json" with { type: "json" };

/** A table whose rows move with their account. */
export interface MovedTable {
  table: string;
  /** What the rows belong to. */
  of: keyof typeof scopes;
  /** SQL: a further condition on the rows, which are called `t`. */
  where?: string;
  /** Rows that somebody works on: they are copied with the change of hands. `work`: under a lease in the row; `turn`: under the gateway's. */
  hot?: "work" | "turn" | "rest";
  /** Made from other rows, or changed by time alone: not compared again. */
  derived?: true;
  /** Columns that a sequence fills. */
  without?: string[];
  order?: string;
  /** Columns that other programs may write meanwhile, or triggers: not compared. */
  loose?: string[];
  /** Columns that name people. */
  people?: string[];
  /** Columns that a trigger changes as the rows come: written once more. */
  mend?: string[];
  /** The column that tells until when a row counts: later it is not copied. */
  until?: string;
  /** The table whose rows do not let these go: they go first, and are copied again. */
  heldBy?: string;
}

/** The tables in the order of their foreign keys. */
export const movedTables = tables.moved as MovedTable[];

/** SQL by which rows `t` belong to the account. */
const { scopes } = tables;

export interface MovedScope {
  accountId: string;
  siteIds: readonly string[];
  /** The people whose rows are copied. */
  people: readonly string[];
  /** Ids of people who are known there under another. */
  linked: ReadonlyMap<string, string>;
  /** The time after which rows must end that are read; now unless it is told. */
  after?: string;
}

const list = (ids: readonly string[]): string => `'{${ids.join(",")}}'::uuid[]`;

/** SQL: the condition of the account's rows `t`. All ids are UUIDs. */
export const rowsOf = ({ of, where }: MovedTable, { accountId, siteIds, people }: MovedScope): string =>
  `${scopes[of].replace("$account", `'${accountId}'`).replace("$sites", list(siteIds)).replace("$people", list(people))}${where === undefined ? "" : ` and ${where}`}`;

export async function listColumns(sql: Sql, { table, without = [] }: MovedTable): Promise<string[]> {
  const names = await scalars(sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${`public.${table}`}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`);
  return names.filter((name) => !without.includes(name));
}

/** SQL: the account's rows as they are to be there: owned by nobody, and with the people's ids of there. */
export function selectMoved(table: MovedTable, columns: readonly string[], scope: MovedScope): string {
  const people = [...scope.linked].map(([from, to]) => `when '${from}' then '${to}'::uuid`).join(" ");
  const expression = (name: string): string => {
    if (name === "owner") return 'null::uuid as "owner"';
    if (name === "lease_until") return 'null::timestamptz as "lease_until"';
    return table.people?.includes(name) && people !== "" ? `case t."${name}" ${people} else t."${name}" end as "${name}"` : `t."${name}"`;
  };
  const order = table.order === undefined ? "" : ` order by ${table.order}`;
  const living = table.until === undefined ? "" : ` and t."${table.until}" > ${scope.after === undefined ? "now()" : `'${scope.after}'`}`;
  return `select ${columns.map(expression).join(", ")} from ${table.table} t where ${rowsOf(table, scope)}${living}${order}`;
}

/** A digest of the account's rows in whatever order, and their number. `apart`: columns that are not compared besides. */
export async function digestRows(sql: Sql, table: MovedTable, columns: readonly string[], scope: MovedScope, apart: readonly string[]) {
  const compared = columns.filter((name) => !apart.includes(name) && !table.loose?.includes(name));
  return scalar(
    sql.unsafe<[{ digest: string }]>(`
    select concat_ws(' ', count(*), sum(('x' || substr(md5(r::text), 1, 15))::bit(60)::bigint)) as digest
    from (${selectMoved(table, compared, scope)}) r`),
  );
}

export const deleteRows = (sql: Sql, table: MovedTable, scope: MovedScope) =>
  sql.unsafe(`delete from ${table.table} t where ${rowsOf(table, scope)}`);
