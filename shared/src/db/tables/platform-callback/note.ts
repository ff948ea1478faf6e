import type { Sql } from "../../connect.ts";

/** Notes that the account receives callbacks. */
export const noteCallback = async (sql: Sql, accountId: string): Promise<void> => {
  await sql`
    insert into platform_callback (account_id, last_at) values (${accountId}, now())
    on conflict (account_id) do update set last_at = excluded.last_at where platform_callback.last_at < excluded.last_at`;
};
