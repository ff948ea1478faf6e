import type { Fragment } from "postgres";
import type { Sql } from "../connect.ts";

/** Moments at which a request may be written to a platform's number: so many, `spacingMs` apart, the first in `startsIn` milliseconds. Nobody else has them. */
export interface GrantedSlots {
  startsIn: number;
  spacingMs: number;
}

/** Takes the next slots of a number. After the platform said that it is too fast, they are further apart, and closer again within a minute. */
export async function takeSlots(sql: Sql, phoneNumberId: string, count: number, spacingMs: number): Promise<GrantedSlots> {
  const spacing = sql`(${spacingMs}::double precision / ${paceLeft(sql, sql`p.`)})`;
  const [row] = await sql<[GrantedSlots]>`
    insert into number_pace as p (phone_number_id, next_at)
    values (${phoneNumberId}, clock_timestamp() + make_interval(secs => ${(count * spacingMs) / 1000}))
    on conflict (phone_number_id) do update
      set next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => ${count} * ${spacing} / 1000)
    returning extract(epoch from next_at - clock_timestamp()) * 1000 - ${count} * ${spacing} as "startsIn", ${spacing} as "spacingMs"`;
  return row;
}

/** The part of its pace that a number has: twice as much every ten seconds, and all of it after a minute. */
const paceLeft = (sql: Sql, of: Fragment): Fragment =>
  sql`least(1, ${of}slowed_to * power(2, least(60, coalesce(extract(epoch from clock_timestamp() - ${of}slowed_at), 60))::double precision / 10))`;

/** The least part of its pace that is left to a number. */
const slowest = 1 / 32;

/** Halves the pace of a number, at most once a second. */
export async function slowDown(sql: Sql, phoneNumberId: string): Promise<void> {
  await sql`
    update number_pace set slowed_at = now(),
      slowed_to = greatest(${slowest}, 0.5 * ${paceLeft(sql, sql``)})
    where phone_number_id = ${phoneNumberId} and (slowed_at is null or slowed_at < now() - interval '1 second')`;
}

/** Adds to how many messages a gateway handed over for each account, and forgets what is older than a minute. */
export async function noteSends(sql: Sql, gatewayId: string, counts: readonly { account_id: string; count: number }[]): Promise<void> {
  await sql`
    insert into send_count as c (account_id, gateway_id, second, count)
    select account_id, ${gatewayId}, date_trunc('second', now()), count
    from json_to_recordset(${JSON.stringify(counts)}::text::json) as i(account_id uuid, count integer)
    on conflict (account_id, second, gateway_id) do update set count = c.count + excluded.count`;
  await sql`delete from send_count where account_id = any(${counts.map(({ account_id }) => account_id)}::uuid[]) and second < now() - interval '1 minute'`;
}
