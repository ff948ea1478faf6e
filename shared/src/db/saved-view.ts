import type { ViewFilter, ViewList } from "../core/saved-view.ts";
import type { Sql } from "./connect.ts";
import { asJson, columns, of, type RowOf, valuesOf } from "./table.ts";

const viewColumns = columns({
  id: of<string>(),
  account_id: of<string>(),
  list: of<ViewList>(),
  name: of<string>(),
  filter: of<ViewFilter>(),
  /** Null once that person is gone. */
  created_by: of<string | null>(),
  created_at: of<Date>(),
});

/** Filters of a list that people keep under a name. */
export type ViewRow = RowOf<typeof viewColumns>;

/** A page of the account's views, of all lists or of `list`, newest first. */
export const listViews = (sql: Sql, accountId: string, list: ViewList | undefined, page: { before: string | null; limit: number }) =>
  sql<ViewRow[]>`
    select ${viewColumns.read(sql)} from saved_view
    where account_id = ${accountId} ${list === undefined ? sql`` : sql`and list = ${list}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

export async function findView(sql: Sql, accountId: string, id: string): Promise<ViewRow | undefined> {
  const [row] = await sql<ViewRow[]>`select ${viewColumns.read(sql)} from saved_view where id = ${id} and account_id = ${accountId}`;
  return row;
}

/** How many views the list has, and the one whose name differs at most in case. */
export async function countViews(
  sql: Sql,
  { account_id, list, name }: Pick<ViewRow, "account_id" | "list" | "name">,
): Promise<{ count: number; same: string | null }> {
  const [row] = await sql<[{ count: number; same: string | null }]>`
    select count(*)::integer as count, (array_agg(id) filter (where lower(name) = lower(${name})))[1] as same
    from saved_view where account_id = ${account_id} and list = ${list}`;
  return row;
}

export async function insertView(sql: Sql, { filter, ...row }: Omit<ViewRow, "created_at">): Promise<ViewRow> {
  const [made] = await sql<[ViewRow]>`
    insert into saved_view ${valuesOf(sql, { ...row, filter: asJson(sql, filter) })} returning ${viewColumns.read(sql)}`;
  return made;
}

export async function updateView(sql: Sql, { id, account_id, name, filter }: ViewRow): Promise<ViewRow | undefined> {
  const [row] = await sql<ViewRow[]>`
    update saved_view set name = ${name}, filter = ${asJson(sql, filter)} where id = ${id} and account_id = ${account_id}
    returning ${viewColumns.read(sql)}`;
  return row;
}

export async function deleteView(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from saved_view where id = ${id} and account_id = ${accountId} returning id`;
  return rows.length > 0;
}
