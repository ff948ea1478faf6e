import { type OperationCounts, outcomes } from "../../core/operation.ts";
import { isAccepted, isArrived, isDropped, isOpen, isUnsent } from "../notification/statuses.ts";
import { type Fragment, type RowOf, type Sql, changedRows, columns, of, one } from "../statement.ts";

const itemColumns = columns({
  ...of.each(of<string>({ sqlType: "uuid" }), "id", "site_id"),
  /** When it was due before the operation hurried it, as ISO 8601. */
  former: of<string | null>({ sqlType: "timestamptz" }),
});

/** A message or a delivery of an operation. */
export type OperationItem = RowOf<typeof itemColumns>;

/** Adds items that wait, or that have an outcome which stays. */
export const insertItems = (
  sql: Sql,
  operationId: string,
  items: readonly (Pick<OperationItem, "id" | "site_id"> & { former?: string | null })[],
  outcome: "cancelled" | null = null,
) => sql`
  insert into operation_item (operation_id, id, site_id, former, outcome, settled)
  select ${operationId}, i.id, i.site_id, i.former, ${outcome}::text, ${outcome !== null}
  from json_to_recordset(${JSON.stringify(items)}::text::json) as i(${sql.unsafe(itemColumns.typed)}) on conflict do nothing`;

/** Adds the messages that wait for the end of a site's pause, the first ones of so many; answers how many there are. */
export const insertHeld = (sql: Sql, operationId: string, siteId: string, most: number) =>
  changedRows(sql`
    insert into operation_item (operation_id, id, site_id) select ${operationId}, w.id, w.site_id from waiting_message w
    where w.site_id = ${siteId} and w.queued_at <= now() and w.owner is null order by w.queued_at, w.id limit ${most}`);

/** SQL: what became of an item whose newest attempt is `a`, or of the delivery `d`, whose failures a retry begins anew; as it was counted last where both are gone, or another retry has begun. */
const outcomeNow = `case
  when o.kind = 'replay_deliveries' then
    case when d.status is null then coalesce(i.outcome, 'skipped') when d.status <> 'pending' then d.status when d.failures > 0 then 'failed' else i.outcome end
  when a.status is null then coalesce(i.outcome, 'skipped')
  when ${isArrived("a")} then 'delivered'
  when ${isAccepted("a")} then 'sent'
  when ${isDropped("a")} then case when o.kind = 'cancel' then 'cancelled' else 'skipped' end
  when not ${isUnsent("a")} then 'failed'
end`;

/**
 * SQL: the items of the operation `o` that may still change: `before`, as they were counted last, and `after`, as they are now: each as its newest attempt,
 * since another resend may have followed. `is_settled`: it stays so. `is_pending`: the operation waits for it: it is to leave now, not at a later time, and not as another resend. Each message costs a look
 * into an index, whatever PostgreSQL expects of the number. None where there are more than `most` (SQL).
 */
const liveItems = (sql: Sql, most: string): Fragment => sql`
  with recursive item as materialized (
    select i.site_id, i.id, i.outcome from operation_item i where i.operation_id = o.id and not i.settled and o.live <= ${sql.unsafe(most)}
  ),
  attempt (site_id, item, id, next, status) as (
    select i.site_id, i.id, i.id, n.resent_as, n.status from item i cross join lateral (
      select m.resent_as, m.status from notification m where m.site_id = i.site_id and m.id = i.id limit 1) n
    union
    select t.site_id, t.item, t.next, n.resent_as, n.status from attempt t cross join lateral (
      select m.resent_as, m.status from notification m where m.site_id = t.site_id and m.id = t.next limit 1) n
  ),
  judged as (
    select i.id, i.outcome as before, ${sql.unsafe(outcomeNow)} as after,
      coalesce(a.id = i.id and (${sql.unsafe(isOpen("a"))} or (o.kind = 'send_now' and ${sql.unsafe(isUnsent("a"))})) or (d.status = 'pending' and d.failures = 0 and i.outcome is null), false) as is_pending,
      (a.status is null and d.status is null) as is_gone
    from item i left join attempt a on a.item = i.id and a.next is null
    left join webhook_delivery d on o.kind = 'replay_deliveries' and d.id = i.id
  )
  select id, before, after, is_pending,
    is_gone or (o.kind <> 'replay_deliveries' and coalesce(after in (${sql.unsafe(settledOutcomes)}), false)) as is_settled
  from judged`;

/** SQL: the outcomes that nothing changes any more. */
const settledOutcomes = "'delivered', 'skipped', 'cancelled'";

const change = (name: string, is: (column: string) => string): string =>
  `(count(*) filter (where ${is("after")}) - count(*) filter (where ${is("before")}))::integer as ${name}`;

const sums = [
  ...outcomes.map((outcome) => change(outcome, (column) => `${column} = '${outcome}'`)),
  change("waiting", (column) => `${column} is null`),
].join(", ");

/** SQL: by how much the counts of the operation `o` have changed since they were recorded, where at most so many items (SQL) may have changed; else by nothing. */
export const changesOfItems = (sql: Sql, most: string): Fragment => sql`select ${sql.unsafe(sums)} from (${liveItems(sql, most)}) l`;

/** The changes of an operation's items since they were counted last. */
export interface ItemCount extends OperationCounts {
  settled: number;
  /** Items that are to leave now. */
  pending: number;
}

/** Records what became of the items since they were counted last, and answers the changes, which the caller records with the operation. */
export const countItems = (sql: Sql, operationId: string) =>
  one(sql<[ItemCount]>`
    with live as materialized (select l.id, l.before, l.after, l.is_pending, l.is_settled from operation o cross join lateral (${liveItems(sql, "o.live")}) l where o.id = ${operationId}),
    noted as (
      update operation_item t set outcome = l.after, settled = l.is_settled from live l
      where t.operation_id = ${operationId} and t.id = l.id and (l.before is distinct from l.after or l.is_settled)
    )
    select ${sql.unsafe(sums)}, (count(*) filter (where is_settled))::integer as settled, (count(*) filter (where is_pending))::integer as pending from live`);

/** Adds the messages of an operation's requested events that a gateway has taken since the last time. `reached`: how many of these events have a message. */
export const collectRequested = (sql: Sql, operationId: string) =>
  one(sql<[{ requests: number; reached: number; messages: number }]>`
    with done as (
      update requested_event set counted = true where operation_id = ${operationId} and not counted and done_at is not null returning site_id, id
    ),
    found as materialized (
      select d.id as event_id, n.site_id, n.id from done d cross join lateral (
        select m.site_id, m.id from notification m where m.site_id = d.site_id and m.event_id = d.id and m.id >= uuid_at(uuid_time(d.id) - interval '1 hour')
          and m.resend_of is null offset 0) n
    ),
    added as (
      insert into operation_item (operation_id, id, site_id) select ${operationId}, id, site_id from found on conflict do nothing returning id
    )
    select (select count(*)::integer from done) as requests, count(distinct event_id)::integer as reached, count(*)::integer as messages from found`);

/** Takes items out of an operation, as if they had never been asked for; answers how many there were. */
export const removeItems = (sql: Sql, operationId: string, ids: readonly string[]) =>
  changedRows(sql`delete from operation_item where operation_id = ${operationId} and id = any(${[...ids]}::uuid[])`);
