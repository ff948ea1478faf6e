import { releaseLapsed } from "../move/lapsed.ts";
import { leaseEnd } from "../owned.ts";
import { type Sql, scalar, inTransaction } from "../statement.ts";
import { giveBackWaiting } from "../waiting/settle.ts";

/*
 * An event belongs to the gateway that stored it (`event.owner`) for as long as that gateway renews its own lease, a row of `gateway`. A gateway that
 * finds a lease that has ended lists the unfinished events behind it in `event_due`, from where any gateway takes them over. An event is stored only under
 * a lock on its gateway's row, and the row goes in the transaction that lists them: none can be missed in between.
 */

const isListed = (event: string): string => `exists (select from event_due d where d.site_id = ${event}.site_id and d.id = ${event}.id)`;

/** SQL: whether the event has no answer yet, or a gateway still finishes it. */
export const isUnfinished = (event: string): string => `(${event}.chat is null or ${isListed(event)})`;

/** SQL: whether the event is unfinished and its owner's time is over, so that anybody may take it. */
export const isLapsed = (event: string): string => `
  case when ${isListed(event)} then exists (select from event_due d where d.site_id = ${event}.site_id and d.id = ${event}.id and d.due_at <= now())
    else ${event}.chat is null and not exists (select from gateway g where g.id = ${event}.owner and g.lease_until > now()) end`;

/** SQL: the ids of a site's unfinished events, without reading the finished ones. */
export const unfinishedEvents = (site: string): string => `
  select d.id from event_due d where d.site_id = ${site}
  union all select e.id from event e where e.site_id = ${site} and e.id >= (select since from gateway order by since limit 1) and e.chat is null`;

/**
 * SQL: a table `lease` with the gateway's row, which is locked so that its lease cannot end meanwhile; without a row nothing may be taken or stored, as no
 * gateway would find it again. `sql`: a connection's tag, or `String.raw` for text with `owner` as an expression.
 */
export const lockedLease = <Text>(sql: (strings: TemplateStringsArray, owner: string) => Text, owner: string): Text =>
  sql`lease as materialized (select id from gateway where id = ${owner} for key share)`;

export interface GatewayLeaseTerms {
  /** The gateway's id. */
  id: string;
  seconds: number;
  /** The gateway has no unfinished event with a smaller id. */
  since: string;
}

/** Takes the gateway's lease, or extends it from now on. Answers the database's time, unix milliseconds. */
export const renewGatewayLease = (sql: Sql, { id, seconds, since }: GatewayLeaseTerms) =>
  scalar(sql<{ now: number }[]>`
    insert into gateway (id, lease_until, since) values (${id}, ${leaseEnd(sql, seconds)}, ${since})
    on conflict (id) do update set lease_until = excluded.lease_until, since = excluded.since
    returning (extract(epoch from clock_timestamp()) * 1000)::double precision as now`);

/**
 * Lists the unfinished events of gateways whose lease has ended as due, and releases the waiting messages that these gateways were sending. Such messages
 * are in doubt, and due again after `inDoubtSeconds`.
 */
export async function listLeft(sql: Sql, inDoubtSeconds: number): Promise<void> {
  const [any] = await sql`select from gateway where lease_until <= now() limit 1`;
  if (any === undefined) return;
  await inTransaction(sql, async (transaction) => {
    // A claim that is under way holds the row. Its events show in the statements that begin after the lock.
    const gone = await transaction<{ id: string }[]>`select id from gateway where lease_until <= now() for update skip locked`;
    const ids = gone.map(({ id }) => id);
    // The plan uses the summary of the ids: few pages, however many sites and events there are.
    await transaction`set local enable_seqscan = off`;
    await transaction`
      insert into event_due (site_id, id, due_at)
      select left_over.site_id, left_over.id, now()
      from gateway g cross join lateral (
        select e.site_id, e.id from event e where e.id >= g.since and e.owner = g.id and e.chat is null offset 0
      ) left_over
      where g.id = any(${ids}::uuid[])
      on conflict do nothing`;
    await transaction`set local enable_seqscan = on`;
    await giveBackWaiting(transaction, ids, { inDoubtSeconds });
    // An attempt that was under way may have arrived: it is repeated under the same id.
    await transaction`update webhook_delivery set owner = null where owner = any(${ids}::uuid[])`;
    await transaction`delete from gateway where id = any(${ids}::uuid[])`;
    await releaseLapsed(transaction);
  });
}

/**
 * Lists events of `owner` as due, unless they are finished: messages that are marked as being sent are in doubt, or queued again if nothing of the events
 * can have been sent. Answers those that are stored.
 */
export const giveBackEvents = (sql: Sql, owner: string, events: readonly { site_id: string; id: string }[], inDoubt: boolean) =>
  sql<{ id: string }[]>`
    with sought as materialized (
      select s.site_id, s.id from unnest(${events.map(({ site_id }) => site_id)}::uuid[], ${events.map(({ id }) => id)}::uuid[]) as s(site_id, id)
    ),
    listed as (
      insert into event_due (site_id, id, due_at)
      select e.site_id, e.id, now() from sought s join event e on e.site_id = s.site_id and e.id = s.id where e.owner = ${owner} and e.chat is null
      on conflict do nothing
      returning site_id, id
    ),
    queued as (
      update notification n set status = 'queued'
      from listed l where not ${inDoubt} and n.site_id = l.site_id and n.event_id = l.id and n.status = 'sending' and n.in_doubt_since is null
        and not exists (select from waiting_message w where w.site_id = n.site_id and w.id = n.id)
    )
    select e.id from sought s join event e on e.site_id = s.site_id and e.id = s.id`;
