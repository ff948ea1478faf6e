import { type OpenStatus, statusesIn } from "../../core/message.ts";
import { storedText } from "../../core/wording.ts";
import { isMarketing, isOpen, isQueued } from "../notification/statuses.ts";
import { type Lease, leaseEnd } from "../owned.ts";
import { type Sql, hasRows, inTransaction } from "../statement.ts";
import type { TakenMessage } from "../waiting/take.ts";
import { insertTurns } from "../waiting/turns.ts";

/** An unfinished event that was due and now belongs to us. */
export interface TakenEvent {
  id: string;
  site_id: string;
  account_id: string;
  /** An event without an idempotency key is closed and not resumed: its client cannot tell us that a retry is the same event. */
  keyed: boolean;
}

/** Whether any event is due. Costs a tenth of a take, which opens every partition. */
export const hasDueEvents = async (sql: Sql): Promise<boolean> =>
  (await sql`select from event_due where due_at <= now() limit 1`).length > 0;

/**
 * Takes over events that are due, oldest first (or only `event`), and marks their messages under way as in doubt. If several gateways ask, one gets an
 * event. `lease.owner` must be new for each call, so that the earlier owner of the event can no longer write. A deleted event is no longer due.
 */
export const takeOverEvents = async (
  sql: Sql,
  lease: Lease,
  { limit, event }: { limit: number; event?: { siteId: string; id: string } | undefined },
): Promise<TakenEvent[]> =>
  await sql<TakenEvent[]>`
    with lapsed as materialized (
      select site_id, id from event_due
      where due_at <= now() ${event ? sql`and site_id = ${event.siteId} and id = ${event.id}` : sql``}
      order by due_at limit ${limit} for update skip locked
    ),
    taken as (
      update event e set owner = ${lease.owner}
      from lapsed l where e.site_id = l.site_id and e.id = l.id
      returning e.id, e.site_id, e.idempotency_key is not null as keyed
    ),
    kept as (
      update event_due d set due_at = ${leaseEnd(sql, lease.seconds)} from taken t where d.site_id = t.site_id and d.id = t.id
    ),
    forgotten as (
      delete from event_due d using lapsed l where d.site_id = l.site_id and d.id = l.id and not exists (select from taken t where t.id = d.id)
    ),
    doubted as (
      update notification n set in_doubt_since = now()
      from taken t where n.site_id = t.site_id and n.event_id = t.id and n.status = 'sending' and n.in_doubt_since is null
        and not ${sql.unsafe(isQueued("n"))}
    )
    select t.id, t.site_id, s.account_id, t.keyed from taken t join site s on s.id = t.site_id`;

/** A message of a taken event that has no outcome yet. */
export interface UnsettledNotification extends Pick<
  TakenMessage,
  "id" | "binding_id" | "template" | "language" | "to_phone" | "components" | "attempt" | "throttle" | "marketing"
> {
  status: OpenStatus;
  /** True once the wait for the platform's callback is over. */
  waited: boolean;
}

export const listUnsettled = (sql: Sql, event: TakenEvent, inDoubtSeconds: number) =>
  sql<UnsettledNotification[]>`
    select id, binding_id, template, language, to_phone, components, attempt, status,
      (select b.schedule->'throttle' from binding b where b.id = binding_id) as throttle,
      ${sql.unsafe(isMarketing("notification"))} as marketing,
      coalesce(in_doubt_since + make_interval(secs => ${inDoubtSeconds}) <= now(), false) as waited
    from notification
    where site_id = ${event.site_id} and event_id = ${event.id} and ${sql.unsafe(isOpen("notification"))}
      and not ${sql.unsafe(isQueued("notification"))}
    order by position`;

/**
 * Extends the lease and marks messages as being sent; a message that was in doubt counts as its next attempt. Answers the marked messages, by id with the
 * attempt; others have been settled by a callback since, or the event has a new owner.
 */
export async function markSending(sql: Sql, event: TakenEvent, lease: Lease, ids: string[]): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; attempt: number }[]>`
    with still_ours as (
      update event_due d set due_at = ${leaseEnd(sql, lease.seconds)} from event e
      where d.site_id = ${event.site_id} and d.id = ${event.id} and d.due_at > now()
        and e.site_id = ${event.site_id} and e.id = ${event.id} and e.owner = ${lease.owner}
      returning d.id
    )
    update notification n set status = 'sending', in_doubt_since = null,
      attempt = case when n.status = 'sending' then n.attempt + 1 else n.attempt end
    from still_ours
    where n.site_id = ${event.site_id} and n.event_id = still_ours.id and n.id = any(${ids}::uuid[]) and ${sql.unsafe(isOpen("n"))}
    returning n.id, n.attempt`;
  return new Map(rows.map(({ id, attempt }) => [id, attempt]));
}

/** Whether the account received a callback in the last 24 hours: only then does the platform's silence mean that it never got the message. */
export const hearsCallbacks = (sql: Sql, accountId: string) =>
  hasRows(sql`select from platform_callback where account_id = ${accountId} and last_at > now() - interval '24 hours'`);

/** Makes what the owners took over and did not finish due after `afterSeconds`, so that any gateway looks at it again. Answers the owners of each event. */
export const giveBackTakenOver = (sql: Sql, owners: readonly { id: string }[], afterSeconds: number) =>
  sql<{ id: string }[]>`
    update event_due d set due_at = ${leaseEnd(sql, afterSeconds)} from event e
    where d.due_at > now() and e.site_id = d.site_id and e.id = d.id and e.owner = any(${owners.map(({ id }) => id)}::uuid[]) returning e.owner as id`;

/**
 * Finishes an event from its rows, and answers how, or null if it had an answer; undefined when a message is still unsettled. A message with a platform id
 * counts as sent, whatever happened to it later; one that waits in the queue after a refusal counts as failed. An event that its gateway has answered
 * meanwhile keeps its answer.
 */
export async function finishFromLog(sql: Sql, { site_id, id }: TakenEvent, { owner }: Lease): Promise<{ chat: string | null } | undefined> {
  return await inTransaction(sql, async (transaction) => {
    // The lock comes in the order of a take-over.
    await transaction`select from event_due where site_id = ${site_id} and id = ${id} for update`;
    // A resend holds this row while it looks whether the event is answered.
    await transaction`select from event where site_id = ${site_id} and id = ${id} for update`;
    const [finished] = await transaction<{ chat: string | null }[]>`
      with tally as (
        select count(*) filter (where wa_message_id is not null)::integer as sent, count(*) filter (where wa_message_id is null)::integer as failed,
          count(*) filter (where ${transaction.unsafe(isOpen("notification"))} and not ${transaction.unsafe(isQueued("notification"))}) as open,
          (select chat is not null from event where site_id = ${site_id} and id = ${id}) as answered
        from notification where site_id = ${site_id} and event_id = ${id} and due_at is null
      ),
      finished as (
        update event e set
          recipients_sent = case when e.chat is null then t.sent else e.recipients_sent end,
          recipients_failed = case when e.chat is null then t.failed else e.recipients_failed end,
          chat = coalesce(e.chat, case when t.failed = 0 then 'sent' when t.sent = 0 then 'failed' else 'partial' end)
        from tally t
        where e.site_id = ${site_id} and e.id = ${id} and e.owner = ${owner} and t.open = 0
        returning e.site_id, e.id, case when not t.answered then e.chat end as chat
      )
      delete from event_due d using finished f where d.site_id = f.site_id and d.id = f.id returning f.chat`;
    return finished;
  });
}

/**
 * Closes the messages and events that were unfinished when a backup was made: the original installation has sent them since. Names only columns of the
 * first migration, and later tables and statuses only where they exist, since the backup may be older.
 */
export async function closeUnfinished(sql: Sql): Promise<{ events: number }> {
  await sql`
    update notification set status = 'failed', local_failure = true, error_code = 'interrupted', error_reason = ${reason}, failed_at = now(),
      in_doubt_since = null
    where status::text = any(${statusesIn("open")})`;
  const events = await sql`
    update event e set
      chat = case when t.failed = 0 then 'sent' when t.sent = 0 then 'failed' else 'partial' end, recipients_sent = t.sent, recipients_failed = t.failed
    from event u cross join lateral (
      select count(*) filter (where wa_message_id is not null)::integer as sent, count(*) filter (where wa_message_id is null)::integer as failed
      from notification n where n.site_id = u.site_id and n.event_id = u.id and n.status::text <> all(${statusesIn("waiting", "dropped")})
    ) t
    where u.chat is null and e.site_id = u.site_id and e.id = u.id`;
  const [later] = await sql<[{ jobs: boolean; operations: boolean; leases: boolean; queue: boolean; webhooks: boolean; outbox: boolean }]>`
    select to_regclass('resend_job') is not null as jobs, to_regclass('operation') is not null as operations, to_regclass('event_due') is not null as leases, to_regclass('waiting_message') is not null as queue,
      to_regclass('webhook_delivery') is not null as webhooks, to_regclass('outbox') is not null as outbox`;
  if (later.jobs) await sql`update resend_job set finished_at = now() where finished_at is null`;
  // The messages of a backfill or a replay are events of their own, and an erasure goes on.
  if (later.operations)
    await sql`
      update operation set stopping_at = coalesce(stopping_at, now()), finished_at = now(), input = null, position = null
      where finished_at is null and kind not in ('backfill', 'replay', 'erasure')`;
  if (later.leases) await sql`truncate event_due, gateway`;
  // A restored copy must not tell the customers' systems anything that they may have heard already; an operator can replay it.
  if (later.webhooks)
    await sql`update webhook_delivery set status = 'failed', last_error = 'restored', owner = null where status = 'pending'`;
  if (later.outbox) await sql`update outbox set status = 'failed', last_error = 'restored', content = null where status = 'pending'`;
  // Messages that are due by now may have been sent as well; later ones have not.
  if (later.queue) {
    await sql`
      update notification n set status = 'failed', local_failure = true, error_code = 'interrupted', error_reason = ${reason}, failed_at = now()
      from waiting_message w where w.site_id = n.site_id and w.id = n.id and n.status = 'scheduled' and (w.due_at <= now() or w.owner is not null)`;
    await sql`delete from waiting_message w where not exists (
      select from notification n where n.site_id = w.site_id and n.id = w.id and n.status = 'scheduled')`;
    await sql`update waiting_message set owner = null`;
    await sql`truncate recipient_turn`;
    await sql.unsafe(insertTurns("waiting_message"));
  }
  return { events: events.count };
}

const reason = storedText(
  "The message was being sent when the backup was made that this is restored from; resend it if it did not arrive.",
);
