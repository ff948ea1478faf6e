import type { ViewFilter } from "../core/input/views.ts";
import type { ViewList } from "../core/saved-view.ts";
import { type IdPage, type RowOf, type Sql, asJson, columns, hasRows, newestFirst, of, one, valuesOf } from "./statement.ts";

const viewColumns = columns({
  ...of.texts("id", "account_id"),
  list: of<ViewList>(),
  name: of<string>(),
  filter: of<ViewFilter>(),
  /** Null once that person is gone. */
  created_by: of<string | null>(),
  created_at: of<Date>(),
  /** When people last changed it. */
  updated_at: of<Date>(),
});

/** Filters of a list that people keep under a name. */
export type ViewRow = RowOf<typeof viewColumns>;

/** A page of the account's views, of all lists or of `list`, newest first. */
export const listViews = (sql: Sql, accountId: string, list: ViewList | undefined, page: IdPage) =>
  sql<ViewRow[]>`
    select ${viewColumns.read(sql)} from saved_view
    where account_id = ${accountId} ${list === undefined ? sql`` : sql`and list = ${list}`} ${newestFirst(sql, page)}`;

export const findView = (sql: Sql, accountId: string, id: string) =>
  one(sql<ViewRow[]>`select ${viewColumns.read(sql)} from saved_view where id = ${id} and account_id = ${accountId}`);

/** How many views the list has, and the one whose name differs at most in case. */
export const countViews = (sql: Sql, { account_id, list, name }: Pick<ViewRow, "account_id" | "list" | "name">) =>
  one(sql<[{ count: number; same: string | null }]>`
    select count(*)::integer as count, (array_agg(id) filter (where lower(name) = lower(${name})))[1] as same
    from saved_view where account_id = ${account_id} and list = ${list}`);

export const insertView = (sql: Sql, { filter, ...row }: Omit<ViewRow, "created_at" | "updated_at">) =>
  one(sql<[ViewRow]>`
    insert into saved_view ${valuesOf(sql, { ...row, filter: asJson(sql, filter) })} returning ${viewColumns.read(sql)}`);

export const updateView = (sql: Sql, { id, account_id, name, filter }: ViewRow) =>
  one(sql<ViewRow[]>`
    update saved_view set name = ${name}, filter = ${asJson(sql, filter)} where id = ${id} and account_id = ${account_id}
    returning ${viewColumns.read(sql)}`);

export const deleteView = (sql: Sql, accountId: string, id: string) =>
  hasRows(sql`delete from saved_view where id = ${id} and account_id = ${accountId} returning id`);
