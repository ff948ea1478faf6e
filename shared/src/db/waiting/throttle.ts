import type { Sql } from "../connect.ts";

/** A message about to leave for a binding that limits how many do. */
export interface ThrottledMessage {
  id: string;
  binding_id: string;
  phone_hash: string;
  max: number;
  seconds: number;
}

/** Where a message that left is counted. */
export interface ThrottleMark {
  id: string;
  binding_id: string;
  phone_hash: string;
  /** As PostgreSQL writes it, to the microsecond. */
  at: string;
}

/**
 * Counts the messages that may leave, in their order, and answers their marks; those without one may not. Over all gateways: the rows are locked, in the order
 * of their keys. Several messages of one binding to one phone need a call each.
 */
export async function takeThrottled(sql: Sql, messages: readonly ThrottledMessage[]): Promise<ThrottleMark[]> {
  return await sql<ThrottleMark[]>`
    with wanted as (
      select m.id, m.binding_id, m.phone_hash, m.max, m.seconds from json_to_recordset(${JSON.stringify(messages)}::text::json)
        as m(id uuid, binding_id uuid, phone_hash text, max integer, seconds integer)
      where exists (select from binding b where b.id = m.binding_id)
    ),
    counted as (
      insert into throttle as t (binding_id, phone_hash, left_at, until)
      select binding_id, phone_hash, array[now()], now() + make_interval(secs => seconds) from wanted order by binding_id, phone_hash
      on conflict (binding_id, phone_hash) do update set
        left_at = array(select at from unnest(t.left_at) at where at > excluded.left_at[1] - (excluded.until - excluded.left_at[1])) || excluded.left_at,
        until = greatest(t.until, excluded.until)
      where (select count(*) from unnest(t.left_at) at where at > excluded.left_at[1] - (excluded.until - excluded.left_at[1]))
        < (select max from wanted w where w.binding_id = excluded.binding_id and w.phone_hash = excluded.phone_hash)
      returning binding_id, phone_hash, left_at[cardinality(left_at)]::text as at
    )
    select w.id, c.binding_id, c.phone_hash, c.at from counted c join wanted w using (binding_id, phone_hash)`;
}

/** Counts messages no longer that did not leave after all. */
export async function giveThrottledBack(sql: Sql, marks: readonly ThrottleMark[]): Promise<void> {
  await sql`
    update throttle t set left_at = array_remove(t.left_at, m.at)
    from json_to_recordset(${JSON.stringify(marks)}::text::json) as m(binding_id uuid, phone_hash text, at timestamptz)
    where t.binding_id = m.binding_id and t.phone_hash = m.phone_hash`;
}

/** Removes a bounded number of counts that count no more; false once none is left. One that a message renews at this moment is locked, and stays. */
export async function forgetThrottles(sql: Sql): Promise<boolean> {
  const result = await sql`
    delete from throttle where ctid = any(array(select ctid from throttle where until < now() order by until limit ${forgottenAtOnce} for update skip locked))`;
  return result.count === forgottenAtOnce;
}

const forgottenAtOnce = 5_000;
