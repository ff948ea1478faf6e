import { type Fragment, type Sql, changedRows, one } from "../statement.ts";

/** Moments at which a message may be sent from a platform's number, as many as were asked for: `spacingMs` apart, the first in `startsIn` ms. No other gateway has them. */
export type GrantedSlots = Record<"startsIn" | "spacingMs", number>;

/** Takes the next slots of a number. After the platform said that it is too fast, they are further apart, and closer again within a minute. */
export async function takeSlots(sql: Sql, phoneNumberId: string, count: number, spacingMs: number): Promise<GrantedSlots> {
  const spacing = sql`(${spacingMs}::double precision / ${paceLeft(sql, sql`p.`)})`;
  return one(sql<[GrantedSlots]>`
    insert into number_pace as p (phone_number_id, next_at)
    values (${phoneNumberId}, clock_timestamp() + make_interval(secs => ${(count * spacingMs) / 1000}))
    on conflict (phone_number_id) do update
      set next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => ${count} * ${spacing} / 1000)
    returning extract(epoch from next_at - clock_timestamp()) * 1000 - ${count} * ${spacing} as "startsIn", ${spacing} as "spacingMs"`);
}

/** The part of its pace that a number has now: twice as much every ten seconds, and all of it after a minute. */
const paceLeft = (sql: Sql, of: Fragment): Fragment =>
  sql`least(1, ${of}slowed_to * power(2, least(60, coalesce(extract(epoch from clock_timestamp() - ${of}slowed_at), 60))::double precision / 10))`;

/** The least part of its pace that a number keeps. */
const slowest = 1 / 32;

/** Halves the pace of a number, at most once a second. */
export const slowDown = (sql: Sql, phoneNumberId: string) => sql`
  update number_pace set slowed_at = now(),
    slowed_to = greatest(${slowest}, 0.5 * ${paceLeft(sql, sql``)})
  where phone_number_id = ${phoneNumberId} and (slowed_at is null or slowed_at < now() - interval '1 second')`;

/** Attempts of a gateway to hand a message to the platform, and how many of them got no sensible answer. */
export interface SendCount {
  account_id: string;
  count: number;
  unanswered: number;
}

/** Counts the attempts of each account, and deletes counts older than ten minutes. */
export async function noteSends(sql: Sql, gatewayId: string, counts: readonly SendCount[]): Promise<void> {
  await sql`
    insert into send_count as c (account_id, gateway_id, second, count, unanswered)
    select account_id, ${gatewayId}, date_trunc('second', now()), count, unanswered
    from json_to_recordset(${JSON.stringify(counts)}::text::json) as i(account_id uuid, count integer, unanswered integer)
    on conflict (account_id, second, gateway_id) do update set count = c.count + excluded.count, unanswered = c.unanswered + excluded.unanswered`;
  await sql`delete from send_count where account_id = any(${counts.map(({ account_id }) => account_id)}::uuid[]) and second < now() - interval '10 minutes'`;
}

/** The account's sends of each of the last five minutes, the latest first. */
export const readSends = (sql: Sql, accountId: string) =>
  sql<{ count: number; unanswered: number }[]>`
    select sum(count)::integer as count, sum(unanswered)::integer as unanswered from send_count
    where account_id = ${accountId} and second > now() - interval '5 minutes'
    group by floor(extract(epoch from now() - second) / 60) order by floor(extract(epoch from now() - second) / 60)`;

/** A message about to leave for a binding with a limit. */
export interface ThrottledMessage {
  id: string;
  binding_id: string;
  phone_hash: string;
  max: number;
  seconds: number;
  /** True if an earlier attempt may have been counted. */
  again: boolean;
}

/** The count of a message that may leave. */
export interface ThrottleMark extends Pick<ThrottledMessage, "id" | "binding_id" | "phone_hash"> {
  /** The time in PostgreSQL's form, to the microsecond; null if nothing was counted now. */
  at: string | null;
}

/**
 * Counts the messages that may leave, in their order, and answers their marks; messages without one may not. The limit holds over all gateways: the rows
 * are locked, in the order of their keys. Several messages of one binding to one phone need a call each. A message that was counted before may leave, as
 * may one whose binding is gone or being deleted, and with it the limit.
 */
export const takeThrottled = async (sql: Sql, messages: readonly ThrottledMessage[]): Promise<ThrottleMark[]> =>
  await sql<ThrottleMark[]>`
    with asked as materialized (
      select m.id, m.binding_id, m.phone_hash, m.max, m.seconds, m.again, ${countedAt(sql)} as at from json_to_recordset(${JSON.stringify(messages)}::text::json)
        as m(id uuid, binding_id uuid, phone_hash text, max integer, seconds integer, again boolean)
    ),
    limited as materialized (select b.id from binding b where b.id in (select binding_id from asked) for key share skip locked),
    wanted as materialized (
      select a.id, a.binding_id, a.phone_hash, a.max, a.seconds, a.at from asked a
      where a.binding_id in (select id from limited) and not (a.again and exists (
        select from throttle t cross join unnest(t.left_at) as at
        where t.binding_id = a.binding_id and t.phone_hash = a.phone_hash and ${digitsOf(sql, sql`at`)} = ${digitsOf(sql, sql`a.at`)}))
    ),
    counted as (
      insert into throttle as t (binding_id, phone_hash, left_at, until)
      select binding_id, phone_hash, array[at], at + make_interval(secs => seconds) from wanted order by binding_id, phone_hash
      on conflict (binding_id, phone_hash) do update set
        left_at = array(select at from unnest(t.left_at) at where at > excluded.left_at[1] - (excluded.until - excluded.left_at[1])) || excluded.left_at,
        until = greatest(t.until, excluded.until)
      where (select count(*) from unnest(t.left_at) at where at > excluded.left_at[1] - (excluded.until - excluded.left_at[1]))
        < (select max from wanted w where w.binding_id = excluded.binding_id and w.phone_hash = excluded.phone_hash)
      returning binding_id, phone_hash, left_at[cardinality(left_at)]::text as at
    )
    select a.id, a.binding_id, a.phone_hash, c.at from asked a left join counted c using (binding_id, phone_hash)
    where c.at is not null or a.id not in (select id from wanted)`;

/** SQL: the time of a message's count, whose microseconds tell the message: an attempt that is repeated after a doubt finds that it was counted. */
const countedAt = (sql: Sql): Fragment =>
  sql`date_trunc('milliseconds', now()) + ('x' || right(m.id::text, 4))::bit(16)::integer % 1000 * interval '1 microsecond'`;
const digitsOf = (sql: Sql, at: Fragment): Fragment => sql`extract(microseconds from ${at})::integer % 1000`;

/** Takes back the counts of messages that did not leave after all; what was counted for an earlier attempt stays. */
export const giveThrottledBack = (sql: Sql, marks: readonly ThrottleMark[]) => sql`
  update throttle t set left_at = array_remove(t.left_at, m.at)
  from json_to_recordset(${JSON.stringify(marks)}::text::json) as m(binding_id uuid, phone_hash text, at timestamptz)
  where t.binding_id = m.binding_id and t.phone_hash = m.phone_hash`;

/** Removes a bounded number of outdated counts; false once none is left. A count that a message is renewing is locked, and stays. */
export const forgetThrottles = async (sql: Sql): Promise<boolean> =>
  (await changedRows(sql`
    delete from throttle where ctid = any(array(select ctid from throttle where until < now() order by until limit ${forgottenAtOnce} for update skip locked))`)) ===
  forgottenAtOnce;

const forgottenAtOnce = 5_000;
