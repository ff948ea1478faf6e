import { type Sql, hasRows, one } from "../statement.ts";
import { isLapsed, isUnfinished } from "./gateway-lease.ts";

/** Adds to the replay counts of events `times`, how often the answer was given again. Rows are picked by lists and joined by text: see `settle`. */
export async function noteReplays(sql: Sql, replays: readonly { site_id: string; id: string; times: number }[]) {
  const ids = replays.map(({ id }) => id).toSorted();
  const sites = [...new Set(replays.map(({ site_id }) => site_id))];
  await sql`
    update event e set replays = e.replays + r.times
    from json_to_recordset(${JSON.stringify(replays)}::text::json) as r(site_id uuid, id uuid, times integer)
    where e.site_id = any(${sites}::uuid[]) and e.id = any(${ids}::uuid[]) and e.id >= ${ids[0] ?? null}::uuid and e.id <= ${ids.at(-1) ?? null}::uuid
      and e.id::text = r.id::text and e.site_id = r.site_id`;
}

/** The parts of an event's answer. */
export interface AnswerRow {
  event_id: string;
  site_id: string;
  name: string;
  order_id: string | null;
  /** Null while the event is unfinished. */
  chat: string | null;
  bindings_run: number;
  recipients_sent: number;
  recipients_failed: number;
  recipients_scheduled: number;
  /** The whole body, in a dry run. */
  body: string | null;
  /** Whether any gateway may take the event over. */
  lapsed: boolean;
  /** Whether a message waits for the platform's callback after a take-over. */
  in_doubt: boolean;
  /** Whether the stored event has the asking event's name, mode and text. Always true for a plain key. */
  same: boolean;
  /** The encrypted text of an answered event, for a signed id: a program with the account's key compares it. */
  sealed_payload: string | null;
}

/** The event name of a signed id in `idempotency`: such a key counts for events of every name. */
export const eventOfIds = "";

/** The same of a signature's digest: no event has such a name. */
export const eventOfMacs = ":mac";

/** A request that repeats a key; `text` is its body when the key is a signed id, else null. */
export interface RepeatedKey {
  siteId: string;
  event: string;
  key: string;
  dryRun: boolean;
  text: string | null;
}

/** The event that holds an idempotency key; null when none does. A payload that was deleted since can no longer be compared. */
export async function readAnswerByKey(sql: Sql, { siteId, event, key, dryRun, text }: RepeatedKey): Promise<AnswerRow | null> {
  const rows = await sql<AnswerRow[]>`
    select e.id as event_id, e.site_id, e.name, e.order_id, e.chat, e.bindings_run, e.recipients_sent, e.recipients_failed, e.recipients_scheduled,
      i.body,
      ${sql.unsafe(isLapsed("e"))} as lapsed,
      ${sql.unsafe(isUnfinished("e"))} and exists (
        select from notification n where n.site_id = e.site_id and n.event_id = e.id and n.in_doubt_since is not null) as in_doubt,
      ${text}::text is null or e.name = ${event} and e.dry_run = ${dryRun} and not exists (
        select from event_payload p where p.site_id = e.site_id and p.id = e.id and p.payload <> ${text}::text and left(p.payload, 3) <> 's1.') as same,
      case when ${text}::text is not null and e.chat is not null then (
        select p.payload from event_payload p where p.site_id = e.site_id and p.id = e.id and left(p.payload, 3) = 's1.') end as sealed_payload
    from idempotency i join event e on e.site_id = i.site_id and e.id = i.event_id
    where i.site_id = ${siteId} and i.key = ${key}
      and i.event = ${text === null ? event : eventOfIds} and i.dry_run = ${text === null && dryRun}`;
  return rows[0] ?? null;
}

/**
 * Takes a key for `seconds`, without an event; false while another holder has it. Where each call is a holder of its own, call it in the transaction of the
 * work that must happen once.
 */
export const takeKey = (
  sql: Sql,
  siteId: string,
  { event, key, holder }: { event: string; key: string; holder: string },
  seconds: number,
) =>
  hasRows(sql`
    insert into idempotency as i (site_id, event, key, dry_run, event_id, expires_at)
    values (${siteId}, ${event}, ${key}, false, ${holder}, now() + make_interval(secs => ${seconds}))
    on conflict (site_id, event, key, dry_run) do update set event_id = excluded.event_id, expires_at = excluded.expires_at
      where i.event_id = excluded.event_id or i.expires_at <= now()
    returning key`);

/** Whether an event is stored. */
export const isStored = (sql: Sql, siteId: string, eventId: string) =>
  hasRows(sql`select from event where site_id = ${siteId} and id = ${eventId}`);

/** The key at which `forgetExpiredKeys` begins. */
export const oldestKeys = { after: "-infinity", limit: 5000 };

/**
 * Removes at most `limit` keys whose window is over and whose original is answered, the oldest first. `next` is the place to go on from, null when no more
 * are left. A key that a claim is taking anew is locked, and stays. The lookups are subqueries, so that no plan ever reads a whole table for them.
 */
export const forgetExpiredKeys = (sql: Sql, { after, limit }: { after: string; limit: number }) =>
  one(sql<[{ deleted: number; next: string | null }]>`
    with old as materialized (
      select i.ctid, i.expires_at from idempotency i
      where i.expires_at >= ${after}::text::timestamptz and i.expires_at < now() - interval '1 minute'
        and (select ${sql.unsafe(isUnfinished("e"))} from event e where e.site_id = i.site_id and e.id = i.event_id) is not true
      order by i.expires_at limit ${limit} for update skip locked
    ), gone as (
      delete from idempotency where ctid = any(array(select ctid from old))
    )
    select count(*)::integer as deleted, case when count(*) = ${limit} then max(expires_at)::text end as next from old`);
