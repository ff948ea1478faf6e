import type { Sql } from "../../connect.ts";

/** One event on its way into the database. Everything that the statement needs is in the row: nothing is looked up before. */
export interface EventClaim {
  event_id: string;
  site_id: string;
  account_id: string;
  /** The configuration's versions against which the request was authenticated and planned. */
  site_version: string;
  account_version: string;
  source: string;
  name: string;
  test: boolean;
  dry_run: boolean;
  payload: string;
  idempotency_key: string | null;
  /** The dry run's answer, kept for duplicates. A live answer is composed from the event's row. */
  body: string | null;
  /** Null when the payload names no order, and in a dry run. */
  order: OrderClaim | null;
  bindings_run: number;
  /** Null while messages are still to be sent: the event then belongs to `owner` for the lease. */
  chat: string | null;
  recipients_failed: number;
  recipients_sent: number;
  owner: string;
  notifications: NotificationClaim[];
}

export interface OrderClaim {
  id: string;
  /** Hex SHA-256: a reference may be longer than an index takes. */
  reference_hash: string;
  external_id: string | null;
  number: string | null;
  status: string | null;
  total: string | null;
  currency: string | null;
}

export interface NotificationClaim {
  id: string;
  binding_id: string;
  template_id: string;
  template: string;
  language: string;
  to_phone: string;
  position: number;
  status: "queued" | "sending" | "failed";
  components: string;
  error_code: string | null;
  error_reason: string | null;
}

export interface ClaimOutcome {
  event_id: string;
  /** `outdated`: the configuration changed since; nothing was written. `duplicate`: the key is taken; nothing was written. */
  outcome: "claimed" | "duplicate" | "outdated";
  order_id: string | null;
}

/**
 * Claims events: idempotency key, order, event and notifications of each, in one statement and one commit, and only where the configuration is still
 * the one that the event was planned against. Idempotent by event id, but for the event's own insert, which then fails with 23505.
 *
 * Rows are touched in key order, so that two gateways cannot lock each other out; a batch must not hold one idempotency key twice.
 */
export async function claimEvents(sql: Sql, claims: EventClaim[], leaseSeconds: number): Promise<ClaimOutcome[]> {
  const outcomes = await sql<ClaimOutcome[]>`
    with input as materialized (${inputRows(sql, claims)}),
    current as materialized (
      select i.event_id from input i
      join site s on s.id = i.site_id and s.config_version = i.site_version
      join account a on a.id = i.account_id and a.config_version = i.account_version
    ),
    keyed as (${takeKeys(sql)}),
    claimed as materialized (
      select event_id from keyed
      union all
      select i.event_id from input i join current using (event_id) where i.idempotency_key is null
    ),
    ordered as (${upsertOrders(sql)}),
    stored as (${storeEvents(sql, leaseSeconds)}),
    logged as (${logNotifications(sql)})
    select i.event_id, o.id as order_id,
      case when c.event_id is not null then 'claimed' when v.event_id is not null then 'duplicate' else 'outdated' end as outcome
    from input i
    left join current v using (event_id)
    left join claimed c using (event_id)
    left join ordered o on c.event_id is not null and o.site_id = i.site_id and o.reference_hash = i.reference_hash`;
  const byId = new Map(outcomes.map((outcome) => [outcome.event_id, outcome]));
  return claims.map((claim) => byId.get(claim.event_id) ?? { event_id: claim.event_id, outcome: "outdated", order_id: null });
}

const inputRows = (sql: Sql, claims: EventClaim[]) => sql`
  select r.event_id, r.site_id, r.account_id, r.site_version, r.account_version, r.source, r.name, r.test, r.dry_run, r.payload, r.idempotency_key,
    r.body, r.bindings_run, r.chat, r.recipients_failed, r.recipients_sent, r.owner, r.notifications,
    (r."order"->>'id')::uuid as order_id, decode(r."order"->>'reference_hash', 'hex') as reference_hash, r."order"->>'external_id' as external_id,
    r."order"->>'number' as number, r."order"->>'status' as status, r."order"->>'total' as total, r."order"->>'currency' as currency
  from json_to_recordset(${JSON.stringify(claims)}::text::json) as r(
    event_id uuid, site_id uuid, account_id uuid, site_version bigint, account_version bigint, source text, name text, test boolean, dry_run boolean,
    payload text, idempotency_key text, body text, "order" json, bindings_run integer, chat text, recipients_failed integer, recipients_sent integer,
    owner uuid, notifications json)`;

/** A key is free when its window is over and its original answered, or when it is this very event's: the statement may run twice. */
const takeKeys = (sql: Sql) => sql`
  insert into idempotency (site_id, event, key, dry_run, event_id, expires_at, body)
  select i.site_id, i.name, i.idempotency_key, i.dry_run, i.event_id, now() + interval '5 minutes', i.body
  from input i join current using (event_id)
  where i.idempotency_key is not null
  order by i.site_id, i.name, i.idempotency_key, i.dry_run
  on conflict (site_id, event, key, dry_run) do update
    set event_id = excluded.event_id, expires_at = excluded.expires_at, body = excluded.body
    where idempotency.event_id = excluded.event_id
      or (idempotency.expires_at <= now() and not exists (
        select from event e where e.site_id = idempotency.site_id and e.id = idempotency.event_id and e.lease_until is not null))
  returning event_id`;

/** Events of one order in one batch are one row: each column takes the newest value that is there. */
const upsertOrders = (sql: Sql) => sql`
  insert into customer_order as o (id, site_id, reference_hash, external_id, number, status, total, currency, last_event_id)
  select (array_agg(i.order_id))[1], i.site_id, i.reference_hash,
    (array_agg(i.external_id order by i.event_id desc) filter (where i.external_id is not null))[1],
    (array_agg(i.number order by i.event_id desc) filter (where i.number is not null))[1],
    (array_agg(i.status order by i.event_id desc) filter (where i.status is not null))[1],
    (array_agg(i.total order by i.event_id desc) filter (where i.total is not null))[1],
    (array_agg(i.currency order by i.event_id desc) filter (where i.currency is not null))[1],
    (array_agg(i.event_id order by i.event_id desc))[1]
  from input i join claimed using (event_id)
  where i.reference_hash is not null
  group by i.site_id, i.reference_hash
  order by i.site_id, i.reference_hash
  on conflict (site_id, reference_hash) do update set
    external_id = coalesce(excluded.external_id, o.external_id), number = coalesce(excluded.number, o.number),
    status = coalesce(excluded.status, o.status), total = coalesce(excluded.total, o.total), currency = coalesce(excluded.currency, o.currency),
    last_event_id = excluded.last_event_id, updated_at = now()
  returning id, site_id, reference_hash`;

const storeEvents = (sql: Sql, leaseSeconds: number) => sql`
  insert into event (id, site_id, source, name, test, dry_run, payload, order_id, idempotency_key, bindings_run, chat, recipients_sent,
    recipients_failed, owner, lease_until)
  select i.event_id, i.site_id, i.source, i.name, i.test, i.dry_run, i.payload, o.id, i.idempotency_key, i.bindings_run, i.chat, i.recipients_sent,
    i.recipients_failed, i.owner, case when i.chat is null then now() + make_interval(secs => ${leaseSeconds}) end
  from input i join claimed using (event_id) left join ordered o on o.site_id = i.site_id and o.reference_hash = i.reference_hash`;

const logNotifications = (sql: Sql) => sql`
  insert into notification (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status,
    local_failure, components, error_code, error_reason, failed_at)
  select n.id, i.site_id, i.account_id, i.event_id, n.binding_id, n.template_id, n.template, n.language, n.to_phone, n.position, n.status,
    n.status = 'failed', n.components, n.error_code, n.error_reason, case when n.status = 'failed' then now() end
  from input i join claimed using (event_id)
  cross join lateral json_to_recordset(i.notifications) as n(id uuid, binding_id uuid, template_id uuid, template text, language text,
    to_phone text, position integer, status notification_status, components text, error_code text, error_reason text)`;
