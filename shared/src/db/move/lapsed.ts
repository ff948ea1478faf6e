import { movingMark } from "../account.ts";
import type { Sql } from "../statement.ts";

/** Lets accounts go on whose moving process is gone: it has no lease any more. */
export async function releaseLapsed(sql: Sql): Promise<void> {
  const rows = await sql<{ account_id: string }[]>`
    delete from account_move m where state = 'leaving' and not exists (select from gateway g where g.id = m.owner) returning account_id`;
  if (rows.length > 0)
    await unmark(
      sql,
      rows.map(({ account_id }) => account_id),
    );
}

/** Takes the mark from the data keys of accounts. */
export const unmark = (sql: Sql, ids: readonly string[]) => sql`
  update account set data_key = nullif(substr(data_key, ${movingMark.length + 1}), '') where id = any(${[...ids]}::uuid[]) and data_key like ${`${movingMark}%`}`;
