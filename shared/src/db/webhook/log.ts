import type { DeliveryFilterInput } from "../../core/input/webhooks.ts";
import { type DeliveryStatus, type WebhookType, messageTypes, updatedType } from "../../core/webhook.ts";
import { asksRows, type FoundEvents, isOfFound } from "../event/search.ts";
import { sinceFirst } from "../notification/log.ts";
import { findWalkEnd, type LogPage, type RowOf, type Sql, columns, hasRows, of, one, scalar, scalars, withinPage } from "../statement.ts";
import { type DeliveryContent, contentColumns, contentTables } from "./take.ts";

/** One attempt, as the log keeps it. */
export interface DeliveryTry {
  /** ISO 8601. */
  at: string;
  ms: number;
  statusCode: number | null;
  error: string | null;
}

const deliveryColumns = columns(
  {
    ...of.texts("id", "webhook_id"),
    type: of<WebhookType>({ read: `case when d.type like '${updatedType}.%' then '${updatedType}' else d.type end` }),
    site_id: of<string>(),
    ...of.each(of<string | null>(), "event_id", "notification_id"),
    status: of<DeliveryStatus>(),
    attempts: of<number>(),
    due_at: of<Date | null>({ read: "case when w.enabled then d.due_at end" }),
    last_status_code: of<number | null>(),
    last_error: of<string | null>(),
    occurred_at: of<Date>(),
  },
  "d",
);

/** A delivery of the log. Its id carries the time when it was made; it is due at no time while its endpoint is off. */
export type DeliveryRow = RowOf<typeof deliveryColumns>;

export interface DeliveryFilter extends DeliveryFilterInput {
  /** The events that a search has found. */
  found?: FoundEvents | undefined;
}

/**
 * A page of the account's deliveries, newest first. Each endpoint costs one look into an index; messages of events are looked up once. Those of an operation
 * are taken from its items, however many endpoints there are.
 */
export const listDeliveries = (sql: Sql, accountId: string, filter: DeliveryFilter, page: LogPage) => {
  const { eventId, status, operationId, found: sought } = filter;
  const eventIds = eventId === undefined ? (sought !== undefined && asksRows(sought) ? undefined : sought?.eventIds) : [eventId];
  const about = sql`${status === undefined ? sql`` : sql`and d.status = ${status}`} ${isAbout(sql, { ...filter, operationId: undefined })}
    ${sought === undefined ? sql`` : sql`and ${isOfFound(sql, "d", sought)}`}
    ${eventIds === undefined ? sql`` : sql`and d.notification_id = any(array(select found.id from found where found.site_id = w.site_id))`}`;
  const found =
    operationId === undefined
      ? sql`w cross join lateral (
          select ${sql.unsafe(deliveryColumns.stored)} from webhook_delivery d
          where d.webhook_id = w.id ${withinPage(sql, page, "d.id")} ${about} order by d.id desc limit ${page.limit}
        ) d`
      : sql`operation_item i join webhook_delivery d on d.id = i.id join w on w.id = d.webhook_id
          where i.operation_id = ${operationId} ${withinPage(sql, page, "i.id")} ${about}`;
  return sql<DeliveryRow[]>`
    with w as (select id, site_id, enabled from webhook where account_id = ${accountId} ${ofEndpoints(sql, filter)}),
    found as materialized (
      select n.id, n.site_id from notification n where n.site_id = any(array(select site_id from w)) and n.event_id = any(${[...(eventIds ?? [])]}::uuid[]) ${sinceFirst(sql, eventIds ?? [])}
    )
    select ${deliveryColumns.read(sql)} from ${found} order by d.id desc limit ${page.limit}`;
};

/** The id at which a page by type or status ends where no index serves the filter; null when it looks at all deliveries, and for other filters. */
export async function findDeliveryWalkEnd(
  sql: Sql,
  accountId: string,
  filter: DeliveryFilter,
  page: LogPage,
  most?: number,
): Promise<string | null> {
  const { notificationId, eventId, found, operationId, status, type, kept } = filter;
  const isWalked = found === undefined ? (type ?? kept) !== undefined || (status !== undefined && status !== "failed") : asksRows(found);
  if (!isWalked || (notificationId ?? eventId ?? operationId) !== undefined) return null;
  const owners = sql`select id as owner from webhook where account_id = ${accountId} ${ofEndpoints(sql, filter)}`;
  return await findWalkEnd(sql, owners, sql`webhook_delivery where webhook_id = own.owner`, page, most);
}

/** SQL: whether what the delivery `d` says is kept: a text of its own, or its message. */
const isKept = "(d.payload is not null or exists (select from notification n where n.site_id = d.site_id and n.id = d.notification_id))";

/** SQL: `and` conditions on the delivery `d`. */
const isAbout = (sql: Sql, { type, notificationId, operationId, kept }: Omit<DeliveryFilter, "status">) => sql`
  ${kept === undefined ? sql`` : sql`and ${sql.unsafe(isKept)} = ${kept}`}
  ${type === undefined ? sql`` : sql`and (d.type = ${type} or ${type === updatedType} and d.type like ${`${updatedType}.%`})`}
  ${notificationId === undefined ? sql`` : sql`and d.notification_id = ${notificationId}`}
  ${operationId === undefined ? sql`` : sql`and d.id = any(array(select i.id from operation_item i where i.operation_id = ${operationId}))`}`;

const ofEndpoints = (sql: Sql, { siteId, webhookId }: DeliveryFilter) =>
  sql`${siteId === undefined ? sql`` : sql`and site_id = ${siteId}`} ${webhookId === undefined ? sql`` : sql`and id = ${webhookId}`}`;

/** Of how many of an endpoint's newest deliveries its rate is counted. */
const mostRated = 200;

/** How the newest deliveries of endpoints went: the share that arrived of those that were tried, how many these are, and within how many milliseconds 95 of 100 were answered. */
export const rateEndpoints = (sql: Sql, ids: readonly string[]) =>
  sql<{ id: string; successRate: number | null; triedCount: number; p95Ms: number | null }[]>`
    select w.id, avg((d.status = 'delivered')::integer) filter (where d.attempts > 0)::float8 as "successRate",
      count(*) filter (where d.attempts > 0)::integer as "triedCount", percentile_disc(0.95) within group (order by (d.tries->-1->>'ms')::integer) as "p95Ms"
    from unnest(${[...ids]}::uuid[]) w (id) left join lateral (
      select status, attempts, tries from webhook_delivery where webhook_id = w.id order by id desc limit ${mostRated}
    ) d on true group by w.id`;

export interface DeliveryDetailRow extends DeliveryRow, Omit<DeliveryContent, "type"> {
  stored_type: string;
  tries: DeliveryTry[];
  /** The answer in its stored form. */
  answer: string | null;
}

export const findDelivery = (sql: Sql, accountId: string, id: string) =>
  one(sql<DeliveryDetailRow[]>`
    select ${deliveryColumns.read(sql)}, d.type as stored_type, d.tries, d.answer, d.payload, ${sql.unsafe(contentColumns)}
    from webhook_delivery d join webhook w on w.id = d.webhook_id ${sql.unsafe(contentTables)}
    where d.id = ${id} and w.account_id = ${accountId}`);

/** Makes a delivery due now, with all its attempts again. False while it is under way, or its content is no longer kept. */
export const replayDelivery = (sql: Sql, id: string) =>
  hasRows(sql`
    update webhook_delivery d set status = 'pending', due_at = now(), failures = 0
    where id = ${id} and owner is null and ${sql.unsafe(isKept)} returning id`);

const mostReplayed = 10_000;

/** The deliveries to send again: those of endpoints, or of all endpoints of a site that are on. */
export interface ReplayFilter extends Omit<DeliveryFilter, "webhookId" | "status"> {
  webhookIds?: readonly string[] | undefined;
  since: Date;
  until?: Date | undefined;
  /** Those that failed for good. */
  failed: boolean;
  /** Those that wait for their next attempt. */
  pending: boolean;
}

/** SQL: the oldest deliveries `d` to send again, those under way left out. */
const toReplay = (sql: Sql, accountId: string, filter: ReplayFilter, limit: number) => {
  const { webhookIds, siteId, since, until, failed, pending, eventId, found } = filter;
  const statuses = [...(failed ? ["failed"] : []), ...(pending ? ["pending"] : [])];
  return sql`
    select d.id, d.status, d.due_at, d.site_id, d.notification_id, d.payload from webhook_delivery d join (
      select id as of_webhook from webhook where account_id = ${accountId} and enabled
        ${webhookIds === undefined ? sql`` : sql`and id = any(${[...webhookIds]}::uuid[])`} ${siteId === undefined ? sql`` : sql`and site_id = ${siteId}`}
    ) endpoint on d.webhook_id = of_webhook
    where d.status = any(${statuses}::text[]) and d.owner is null and d.id >= uuid_at(${since}::timestamptz)
      ${until === undefined ? sql`` : sql`and d.id < uuid_at(${until}::timestamptz)`} ${isAbout(sql, filter)}
      ${eventId === undefined ? sql`` : sql`and d.event_id = ${eventId}`} ${found === undefined ? sql`` : sql`and ${isOfFound(sql, "d", found)}`}
    order by d.id limit ${limit}`;
};

/** How many of the oldest 20,000 deliveries of the same filter are left out, because what they say is gone. */
export const countGone = (sql: Sql, accountId: string, filter: ReplayFilter) =>
  scalar(
    sql<
      [{ count: number }]
    >`select count(*)::integer as count from (${toReplay(sql, accountId, filter, 2 * mostReplayed)}) d where not ${sql.unsafe(isKept)}`,
  );

/**
 * Makes deliveries due now with all their attempts again, at most `mostReplayed`, the oldest first, except those that are under way or whose content is gone.
 * `former`: when one was due before, if it had not failed for good.
 */
export const replayFailed = (sql: Sql, accountId: string, filter: ReplayFilter) =>
  sql<{ id: string; site_id: string; former: string | null }[]>`
    with chosen as materialized (${toReplay(sql, accountId, { ...filter, kept: true }, mostReplayed)} for update of d skip locked)
    update webhook_delivery d set status = 'pending', due_at = least(d.due_at, now()), failures = 0 from chosen c where d.id = c.id
    returning d.id, d.site_id, case when c.status = 'pending' then to_json(c.due_at)#>>'{}' end as former`;

/** The most deliveries that one statement of a stopped operation takes back. */
const mostTakenBack = 1_000;

/** Gives up the deliveries of an operation that were not tried and are not under way, as they were before it: failed, or due at their own time. Answers their ids. */
export const giveUpReplayed = (sql: Sql, operationId: string) =>
  scalars(sql<{ id: string }[]>`
    with chosen as materialized (
      select d.id, i.former from operation_item i join webhook_delivery d on d.id = i.id
      where i.operation_id = ${operationId} and not i.settled and i.outcome is null and d.status = 'pending' and d.failures = 0 and d.owner is null
      order by d.id limit ${mostTakenBack} for update of d skip locked
    )
    update webhook_delivery d set status = case when c.former is null then 'failed' else 'pending' end, due_at = greatest(d.due_at, c.former)
    from chosen c where d.id = c.id returning d.id`);

/** Whether at least `many` deliveries that are about no message wait for the endpoint. */
export const areManyWaiting = (sql: Sql, webhookId: string, many: number) =>
  hasRows(sql`
    select from webhook_delivery where webhook_id = ${webhookId} and status = 'pending' and notification_id is null offset ${many - 1} limit 1`);

/** Adds a delivery with given content to one endpoint. */
export const insertDelivery = (
  sql: Sql,
  row: { id: string; webhook_id: string; site_id: string; type: WebhookType; payload: string; occurred_at: Date },
) => sql`insert into webhook_delivery ${sql(row)}`;

/** The most messages whose statuses are read, the newest of the site. */
const mostMessages = 1_000;

/** A status of a message as an endpoint would be told of it; `id`: the same each time. */
export type RecentStatus = DeliveryContent;

/**
 * The statuses since a moment of a site's newest messages, oldest first, those of one message in the order of a message's life: the platform tells times in
 * whole seconds. Test events are not told. Ids below `from` are not looked at.
 */
export const readRecentStatuses = (sql: Sql, siteId: string, from: string, since: Date) =>
  sql<RecentStatus[]>`
    select n.id || '.' || t.type as id, t.type, ${siteId}::uuid as site_id, n.event_id, n.id as notification_id, null as payload, t.at as occurred_at,
      n.binding_id, n.template, n.to_phone, n.wa_message_id
    from (
      select id, event_id, binding_id, template, to_phone, wa_message_id, status, sent_at, delivered_at, read_at, failed_at from notification
      where site_id = ${siteId} and id >= ${from} and not test
      order by id desc limit ${mostMessages}
    ) n cross join lateral unnest(${[...messageTypes]}::text[],
      array[n.sent_at, n.delivered_at, n.read_at, case when n.status = 'failed' then n.failed_at end]) with ordinality as t(type, at, nth)
    where t.at >= ${since}
    order by max(t.at) over (partition by n.id order by t.nth), n.id, t.nth`;
