import { updatedType } from "../../core/webhook.ts";
import type { DataKeyRow } from "../account.ts";
import { lockedLease } from "../event/gateway-lease.ts";
import type { Sql } from "../statement.ts";
import type { WebhookRow } from "./webhook.ts";

/** An endpoint with deliveries that wait. */
export interface WaitingEndpoint extends Pick<WebhookRow, "id" | "account_id" | "site_id" | "enabled"> {
  /** True if the last delivery has not arrived. */
  failing: boolean;
  is_due: boolean;
}

/** Steps through the endpoints with deliveries that wait, from `after` on. Each costs one look into an index, however many deliveries it has. */
export const listWaitingEndpoints = (sql: Sql, after: string, limit: number) =>
  sql<WaitingEndpoint[]>`
    with recursive next as (
      (select webhook_id, due_at, 1 as n from webhook_delivery where status = 'pending' and owner is null and webhook_id > ${after}
        order by webhook_id, due_at limit 1)
      union all
      select d.webhook_id, d.due_at, next.n + 1 from next cross join lateral (
        select webhook_id, due_at from webhook_delivery where status = 'pending' and owner is null and webhook_id > next.webhook_id
        order by webhook_id, due_at limit 1
      ) d where next.n < ${limit}
    )
    select w.id, w.account_id, w.site_id, w.enabled, w.failing_since is not null as failing, next.due_at <= now() as is_due
    from next join webhook w on w.id = next.webhook_id order by w.id`;

/** The content of a delivery. */
export interface DeliveryContent {
  id: string;
  /** As it is stored. */
  type: string;
  site_id: string;
  event_id: string | null;
  notification_id: string | null;
  /** The payload in its stored form; only for a delivery that is about no message. */
  payload: string | null;
  occurred_at: Date;
  /** The message's values, in their stored form; null if it is gone from the log, and for a delivery that is about no message. */
  binding_id: string | null;
  template: string | null;
  to_phone: string | null;
  wa_message_id: string | null;
  attempt: number | null;
  error_code: string | null;
  error_reason: string | null;
  /** The order of an update's event. */
  order_id: string | null;
  order_number: string | null;
}

const ownColumns = "d.id, d.type, d.site_id, d.event_id, d.notification_id, d.payload, d.occurred_at, d.attempts, d.failures";
/** SQL: the message and the order of the delivery `d`. Each is looked for by its key, however few rows the statistics know: a join reads whole weeks of the log. */
const messageColumns = "n.binding_id, n.template, n.to_phone, n.wa_message_id, n.attempt, n.error_code, n.error_reason";
export const contentColumns = `${messageColumns}, o.order_id, o.order_number`;
export const contentTables = `
  left join lateral (select ${messageColumns} from notification n where n.site_id = d.site_id and n.id = d.notification_id limit 1) n on true
  left join lateral (
    select e.order_id, (select c.number from customer_order c where c.site_id = e.site_id and c.id = e.order_id) as order_number from event e
    where d.type like '${updatedType}.%' and e.site_id = d.site_id and e.id = d.event_id limit 1
  ) o on true`;

/** A delivery that was taken once. */
export interface OwnedDelivery {
  id: string;
  /** The version of the row that was taken, which tells this take from a later one of the same gateway. */
  take: string;
}

/** A delivery that is posted now. */
export interface TakenDelivery extends DeliveryContent, OwnedDelivery {
  /** The attempts before. */
  attempts: number;
  /** Failures in a row. */
  failures: number;
}

/** An endpoint as it is when deliveries are taken. */
export interface TakenEndpoint extends Pick<WebhookRow, "url">, Omit<DataKeyRow, "account_id"> {
  /** The site's outbound secrets that count, encrypted, the current one first. */
  secrets: { id: string; secret: string }[];
}

/** Takes up to `limit` due deliveries for the lease of `owner`; the first has the endpoint. It does not wait for the disk: what a crash undoes is taken again. */
export const takeDeliveries = (sql: Sql, owner: string, webhookId: string, limit: number) =>
  sql<(TakenDelivery & { endpoint: TakenEndpoint | null })[]>`
    with ${lockedLease(sql, owner)},
    unhurried as materialized (select set_config('synchronous_commit', 'off', true) from lease),
    due as (
      select id from webhook_delivery where webhook_id = ${webhookId} and status = 'pending' and owner is null and due_at <= now()
        and exists (select from unhurried join webhook w on w.id = ${webhookId} and w.enabled) order by due_at limit ${limit} for update skip locked
    ),
    taken as (update webhook_delivery d set owner = ${owner} from due where d.id = due.id returning ${sql.unsafe(ownColumns)}, d.due_at, d.xmin::text as take)
    select ${sql.unsafe(`${ownColumns}, d.take, ${contentColumns}`)},
      case when row_number() over (order by d.due_at, d.id) = 1 then (
        select json_build_object('url', w.url, 'encrypt_payloads', a.encrypt_payloads, 'data_key', a.data_key, 'secrets',
          (select coalesce(json_agg(json_build_object('id', k.id, 'secret', k.secret) order by k.expires_at desc), '[]') from site_secret k
            where k.site_id = w.site_id and k.kind = 'outbound_secret' and (k.expires_at is null or k.expires_at > now())))
        from webhook w join account a on a.id = w.account_id where w.id = ${webhookId}
      ) end as endpoint
    from taken d ${sql.unsafe(contentTables)} order by d.due_at, d.id`;

/** The result of an attempt. */
export interface Attempt {
  id: string;
  webhook_id: string;
  /** The number of the delivery's attempt, from 1. */
  number: number;
  /** The beginning of the attempt, ISO 8601. */
  at: string;
  ms: number;
  status_code: number | null;
  /** The reason for a failure, as a code; null if the delivery arrived. */
  error: string | null;
  /** Seconds until the next; null when there is none. */
  again: number | null;
  /** Head and first bytes of the answer, as they are stored. */
  answer: string | null;
  /** True if the endpoint says that it is gone for good. */
  gone: boolean;
  /** True if the endpoint was asked. */
  asked: boolean;
}

/** An endpoint that no delivery has reached for this many days is switched off. */
const patienceDays = 5;
/** The attempts that a delivery's log shows. */
const shownTries = 20;

/**
 * Records attempts of deliveries that still belong to `owner`, and the state of their endpoints; that a delivery has arrived counts in any case. Each
 * number is recorded once, so that a repeat ends no later attempt. A batch must not hold a delivery twice. A delivery that has arrived loses its content.
 * Answers the endpoints that this switched off.
 */
export const recordAttempts = async (sql: Sql, owner: string, attempts: readonly Attempt[]): Promise<{ id: string; because: string }[]> => {
  const idsWhere = (wanted: (attempt: Attempt) => boolean) => [...new Set(attempts.filter(wanted).map((one) => one.webhook_id))];
  const well = idsWhere(({ error }) => error === null);
  const failing = idsWhere(({ error, asked }) => asked && error !== null).filter((id) => !well.includes(id));
  const gone = idsWhere((attempt) => attempt.gone);
  // The endpoints are locked first, in the order of their deletion, which takes their deliveries along.
  return await sql<{ id: string; because: string }[]>`
    with kept as materialized (select id from webhook where id = any(${idsWhere(() => true)}::uuid[]) order by id for key share),
    recorded as (
      update webhook_delivery d set owner = null, attempts = d.attempts + 1, last_status_code = a.status_code, last_error = a.error,
        failures = case when a.error is null then d.failures else d.failures + 1 end,
        status = case when a.error is null then 'delivered' when a.again is null then 'failed' else 'pending' end,
        payload = case when a.error is not null then d.payload end, answer = a.answer,
        due_at = now() + make_interval(secs => coalesce(a.again, 0)),
        tries = (case when jsonb_array_length(d.tries) >= ${shownTries} then d.tries - 0 else d.tries end)
          || jsonb_build_object('at', a.at, 'ms', a.ms, 'statusCode', a.status_code, 'error', a.error)
      from json_to_recordset(${JSON.stringify(attempts)}::text::json)
        as a(id uuid, number integer, at text, ms integer, status_code integer, error text, again double precision, answer text)
      where (select count(*) from kept) >= 0 and d.id = any(${attempts.map(({ id }) => id)}::uuid[]) and d.id = a.id and d.attempts = a.number - 1 and (d.owner = ${owner} or a.error is null)
    ),
    changed as (
      update webhook set failing_since = case when fails then coalesce(failing_since, now()) end, enabled = was_on and not is_over,
        disabled_because = case when was_on and is_over then case when id = any(${gone}::uuid[]) then 'gone' else 'failing' end else disabled_because end
      from (
        select id, enabled, id = any(${failing}::uuid[]), id = any(${failing}::uuid[]) and (id = any(${gone}::uuid[]) or ${isPatienceOver(sql)})
        from webhook
        where (select count(*) from kept) >= 0 and (id = any(${failing}::uuid[]) or id = any(${well}::uuid[]) and failing_since is not null)
        order by id for no key update
      ) as was(webhook_id, was_on, fails, is_over)
      where id = webhook_id and (is_over or fails = (failing_since is null))
      returning id, disabled_because as because, was_on and not enabled as is_off_now
    )
    select id, because from changed where is_off_now`;
};

const isPatienceOver = (sql: Sql) => sql`coalesce(failing_since < now() - make_interval(days => ${patienceDays}), false)`;

/** Releases deliveries that nobody posts any more, unless they were taken anew since: they are due again, whether they were posted or not. Answers them. */
export const giveBackDeliveries = (sql: Sql, owner: string, deliveries: readonly OwnedDelivery[]) =>
  sql<{ id: string }[]>`
    update webhook_delivery set owner = null
    where id = any(${deliveries.map(({ id }) => id)}::uuid[]) and owner = ${owner}
      and id::text || xmin::text = any(${deliveries.map(({ id, take }) => id + take)}::text[])
    returning id`;

/** The deliveries that `owner` is posting as far as the database knows. */
export const listTakenDeliveries = (sql: Sql, owner: string) =>
  sql<OwnedDelivery[]>`select id, xmin::text as take from webhook_delivery where owner = ${owner}`;

/** Gives up at most `limit` waiting deliveries of an endpoint that is off. */
export const giveUpDisabled = (sql: Sql, webhookId: string, limit: number) =>
  sql`
    update webhook_delivery set status = 'failed', last_error = 'disabled' where id = any(array(
      select d.id from webhook_delivery d join webhook w on w.id = d.webhook_id and not w.enabled
      where d.webhook_id = ${webhookId} and d.status = 'pending' and d.owner is null order by d.due_at limit ${limit} for update of d skip locked))`;
