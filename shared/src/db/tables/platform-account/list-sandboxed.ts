import type { Sql } from "../../connect.ts";

/** The accounts that are connected to the sandbox: the number of each there, and since when its log is kept. */
export const listSandboxed = (sql: Sql) =>
  sql<{ phone_number_id: string; kept_since: Date }[]>`
    select p.phone_number_id, now() - make_interval(days => a.log_days) as kept_since
    from platform_account p join account a on a.id = p.account_id where p.sandbox order by p.account_id`;
