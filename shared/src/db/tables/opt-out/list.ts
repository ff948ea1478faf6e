import type { Sql } from "../../connect.ts";
import type { OptOutRow } from "./row.ts";

/** A page of the people who do not want the account's messages, those who said so last first. `phoneHash`: one person alone. */
export const listOptOuts = (sql: Sql, accountId: string, phoneHash: string | null, page: { before: string | null; limit: number }) =>
  sql<OptOutRow[]>`
    select id, phone, scope, source, code, since from opt_out
    where account_id = ${accountId} and active ${phoneHash === null ? sql`` : sql`and phone_hash = ${phoneHash}`}
      ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;
