import type { Pool } from "../../connect.ts";
import { isLockTimeout } from "../../sql-state.ts";

/**
 * Drops the weekly partitions that end before an id. Answers those that it dropped. One that is in use is left for the next time: events must not queue
 * behind a drop. The file itself is removed after the locks are gone, so that takes nobody's time.
 */
export async function dropPartitionsBefore(sql: Pool, parent: string, before: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${parent}::regclass and c.relname ~ '_\\d{4}w\\d{2}$'
      and uuid_at(to_date(right(c.relname, 7), 'IYYY"w"IW')::timestamptz + interval '7 days') <= ${before}::uuid
    order by c.relname`;
  const dropped: string[] = [];
  for (const { name } of rows) if (await drop(sql, name)) dropped.push(name);
  return dropped;
}

async function drop(sql: Pool, name: string): Promise<boolean> {
  try {
    await sql.begin(async (transaction) => {
      await transaction`set local lock_timeout = '500ms'`;
      await transaction`drop table if exists ${transaction(name)}`;
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
