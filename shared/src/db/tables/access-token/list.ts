import type { Sql } from "../../connect.ts";
import { accessTokenColumns, type AccessTokenRow } from "./row.ts";

/** A page of the account's tokens, newest first; with `createdBy` that user's only. `before`: the id that the page starts after, null for the first. */
export const listAccessTokens = (sql: Sql, accountId: string, page: { createdBy: string | null; before: string | null; limit: number }) =>
  sql<AccessTokenRow[]>`
    select ${accessTokenColumns(sql)} from access_token
    where account_id = ${accountId}
      ${page.createdBy === null ? sql`` : sql`and created_by = ${page.createdBy}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
