import type { Sql } from "../../connect.ts";
import { userColumns, type UserRow } from "./row.ts";

/** A page of the account's users, newest first. `before`: the id that the page starts after, null for the first. */
export const listUsers = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<UserRow[]>`
    select ${userColumns(sql)} from app_user
    where account_id = ${accountId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
