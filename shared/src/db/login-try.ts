import type { Sql } from "./connect.ts";

export interface TryLimit {
  most: number;
  withinMinutes: number;
}

/**
 * Counts a try of `key` (a SHA-256) before it is made, so that simultaneous tries at several servers cannot exceed the limit together. False when there
 * were too many within the time; a refused try does not count. Also deletes some expired rows of other keys.
 */
export async function takeTry(sql: Sql, key: Buffer, limit: TryLimit): Promise<boolean> {
  const span = sql`make_interval(mins => ${limit.withinMinutes}::integer)`;
  const recent = sql`array(select at from unnest(login_try.tries) at where at > clock_timestamp() - ${span})`;
  const rows = await sql`
    with swept as (
      delete from login_try where key in (
        select key from login_try where key <> ${key} and expires_at < clock_timestamp() limit 20 for update skip locked
      )
    )
    insert into login_try (key, tries, expires_at) values (${key}, array[clock_timestamp()], clock_timestamp() + ${span})
    on conflict (key) do update set tries = ${recent} || clock_timestamp(), expires_at = excluded.expires_at
    where cardinality(${recent}) < ${limit.most}
    returning key`;
  return rows.length > 0;
}

export const forgetTries = (sql: Sql, key: Buffer) => sql`delete from login_try where key = ${key}`;
