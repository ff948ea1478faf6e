import type { Sql } from "../connect.ts";
import { inTransaction } from "../transaction.ts";

/** An unfinished event whose owner's lease ran out, now ours. */
export interface TakenEvent {
  id: string;
  site_id: string;
  account_id: string;
  /** Without a key its client cannot tell us that a retry is the same event: it is closed, not resumed. */
  keyed: boolean;
  bindings_run: number;
}

/** A message of such an event that is not settled, and what is known of it. */
export interface UnsettledNotification {
  id: string;
  template: string;
  language: string;
  to_phone: string;
  components: string;
  attempt: number;
  status: "queued" | "sending";
  /** It repeats another that failed, because somebody asked for it. */
  resend: boolean;
  /** The wait for the platform's word is over. */
  waited: boolean;
}

/**
 * Takes over lapsed events, oldest first (or the one with `eventId`), and marks their messages under way as in doubt. One conditional update: of several
 * gateways one gets an event. `owner` must be new for each call; it fences off whoever held the event before.
 */
export async function takeOverEvents(
  sql: Sql,
  input: { owner: string; leaseSeconds: number; limit: number; event?: { siteId: string; id: string } | undefined },
): Promise<TakenEvent[]> {
  const only = input.event;
  return await sql<TakenEvent[]>`
    with lapsed as (
      select site_id, id from event
      where lease_until <= now() ${only ? sql`and site_id = ${only.siteId} and id = ${only.id}` : sql``}
      order by lease_until limit ${input.limit} for update skip locked
    ),
    taken as (
      update event e set owner = ${input.owner}, lease_until = now() + make_interval(secs => ${input.leaseSeconds})
      from lapsed l where e.site_id = l.site_id and e.id = l.id
      returning e.id, e.site_id, e.idempotency_key is not null as keyed, e.bindings_run
    ),
    doubted as (
      update notification n set in_doubt_since = now()
      from taken t where n.site_id = t.site_id and n.event_id = t.id and n.status = 'sending' and n.in_doubt_since is null
    )
    select t.id, t.site_id, s.account_id, t.keyed, t.bindings_run from taken t join site s on s.id = t.site_id`;
}

export async function listUnsettled(sql: Sql, event: TakenEvent, inDoubtSeconds: number): Promise<UnsettledNotification[]> {
  return await sql<UnsettledNotification[]>`
    select id, template, language, to_phone, components, attempt, status, resend_of is not null as resend,
      coalesce(in_doubt_since + make_interval(secs => ${inDoubtSeconds}) <= now(), false) as waited
    from notification
    where site_id = ${event.site_id} and event_id = ${event.id} and status in ('queued', 'sending')
    order by position`;
}

/**
 * Marks messages as being sent by this owner, a resend of one in doubt as its next attempt. Answers those that it got, by id with the attempt: a
 * callback may have settled one in between, or the event may have a new owner.
 */
export async function markSending(
  sql: Sql,
  event: TakenEvent,
  owner: string,
  leaseSeconds: number,
  ids: string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; attempt: number }[]>`
    with held as (
      update event set lease_until = now() + make_interval(secs => ${leaseSeconds})
      where site_id = ${event.site_id} and id = ${event.id} and owner = ${owner} and lease_until > now()
      returning id
    )
    update notification n set status = 'sending', in_doubt_since = null,
      attempt = case when n.status = 'sending' then n.attempt + 1 else n.attempt end
    from held
    where n.site_id = ${event.site_id} and n.event_id = held.id and n.id = any(${ids}::uuid[]) and n.status in ('queued', 'sending')
    returning n.id, n.attempt`;
  return new Map(rows.map(({ id, attempt }) => [id, attempt]));
}

/** Whether the account has had a callback in the last 24 hours: only then does silence mean that the platform never got the message. */
export async function hearsCallbacks(sql: Sql, accountId: string): Promise<boolean> {
  const rows = await sql`select from platform_callback where account_id = ${accountId} and last_at > now() - interval '24 hours'`;
  return rows.length > 0;
}

/** Lets go of an event that still waits, so that the next look at it comes soon, whoever takes it. */
export async function releaseEvent(sql: Sql, event: TakenEvent, owner: string, afterSeconds: number): Promise<void> {
  await sql`
    update event set lease_until = now() + make_interval(secs => ${afterSeconds})
    where site_id = ${event.site_id} and id = ${event.id} and owner = ${owner} and lease_until is not null`;
}

/** Lets go of events that `owner` claimed and then did not work on, as if none of their messages had been begun. Answers those that are stored. */
export async function freeUnsent(sql: Sql, events: { site_id: string; id: string }[], owner: string): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    with sought as materialized (
      select s.site_id, s.id from unnest(${events.map(({ site_id }) => site_id)}::uuid[], ${events.map(({ id }) => id)}::uuid[]) as s(site_id, id)
    ),
    freed as (
      update event e set lease_until = now()
      from sought s where e.site_id = s.site_id and e.id = s.id and e.owner = ${owner} and e.lease_until is not null
      returning e.site_id, e.id
    ),
    queued as (
      update notification n set status = 'queued'
      from freed f where n.site_id = f.site_id and n.event_id = f.id and n.status = 'sending' and n.in_doubt_since is null
    )
    select e.id from sought s join event e on e.site_id = s.site_id and e.id = s.id`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Finishes an event of which every message is settled, from its rows; false when one is not. A message that the platform took (it has an id
 * there) counts as sent, whatever became of it later. An event that was answered before, and open again for a resend, keeps its answer.
 */
export async function finishFromLog(sql: Sql, { site_id, id }: TakenEvent, owner: string): Promise<boolean> {
  return await inTransaction(sql, async (transaction) => {
    // A resend adds its message while it holds this row, so that none is overlooked.
    await transaction`select from event where site_id = ${site_id} and id = ${id} for update`;
    const rows = await transaction`
      with tally as (
        select count(*) filter (where wa_message_id is not null)::integer as sent, count(*) filter (where wa_message_id is null)::integer as failed,
          count(*) filter (where status in ('queued', 'sending')) as open
        from notification where site_id = ${site_id} and event_id = ${id}
      )
      update event e set lease_until = null,
        recipients_sent = case when e.chat is null then t.sent else e.recipients_sent end,
        recipients_failed = case when e.chat is null then t.failed else e.recipients_failed end,
        chat = coalesce(e.chat, case when t.failed = 0 then 'sent' when t.sent = 0 then 'failed' else 'partial' end)
      from tally t
      where e.site_id = ${site_id} and e.id = ${id} and e.owner = ${owner} and e.lease_until is not null and t.open = 0
      returning e.id`;
    return rows.length > 0;
  });
}

const reason = "The message was being sent when the backup was made that this is restored from; resend it if it did not arrive.";

/**
 * Closes whatever a backup caught under way: the installation that it was taken of has long sent it, and must not be repeated by the one that it is restored
 * into. Names only columns that have been there from the first, and tables that came later only where they are there.
 */
export async function closeUnfinished(sql: Sql): Promise<{ events: number }> {
  await sql`
    update notification set status = 'failed', local_failure = true, error_code = 'interrupted', error_reason = ${reason}, failed_at = now(),
      in_doubt_since = null
    where status in ('queued', 'sending')`;
  const events = await sql`
    update event e set lease_until = null,
      chat = coalesce(e.chat, case when t.failed = 0 then 'sent' when t.sent = 0 then 'failed' else 'partial' end),
      recipients_sent = case when e.chat is null then t.sent else e.recipients_sent end,
      recipients_failed = case when e.chat is null then t.failed else e.recipients_failed end
    from event u cross join lateral (
      select count(*) filter (where wa_message_id is not null)::integer as sent, count(*) filter (where wa_message_id is null)::integer as failed
      from notification n where n.site_id = u.site_id and n.event_id = u.id
    ) t
    where u.lease_until is not null and e.site_id = u.site_id and e.id = u.id`;
  const [jobs] = await sql<[{ there: boolean }]>`select to_regclass('resend_job') is not null as there`;
  if (jobs.there) await sql`update resend_job set finished_at = now() where finished_at is null`;
  return { events: events.count };
}
