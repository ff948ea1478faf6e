import type { Sql } from "../../connect.ts";
import { memoizeText } from "../../memoize-text.ts";
import { rowsText } from "../../rows-text.ts";

/** One event on its way into the database, as the rows that it becomes. Nothing is looked up before. */
export interface EventClaim {
  event: EventRowClaim;
  /** The text received. */
  payload: string;
  /** JSON; null when the notifications say it all. */
  trace: string | null;
  /** The dry run's answer, kept for duplicates. A live answer is composed from the event's row. */
  body: string | null;
  /** Null when the payload names no order, and in a dry run. */
  order: OrderClaim | null;
  notifications: NotificationClaim[];
  /** The messages that would be sent, where the account has people who opted out; else empty. */
  addressees: Addressee[];
}

/** Whom a message goes to, to be compared with those who opted out. */
export interface Addressee {
  event_id: string;
  account_id: string;
  /** Of the message in its event. */
  position: number;
  phone_hash: string;
  marketing: boolean;
}

export interface EventRowClaim {
  id: string;
  site_id: string;
  account_id: string;
  /** The configuration's versions against which the request was authenticated and planned. */
  site_version: string;
  account_version: string;
  source: string;
  name: string;
  test: boolean;
  dry_run: boolean;
  order_id: string | null;
  idempotency_key: string | null;
  bindings_run: number;
  /** Null while messages are still to be sent: the event then belongs to `owner` for the lease. */
  chat: string | null;
  recipients_failed: number;
  recipients_sent: number;
  owner: string;
}

export interface OrderClaim {
  id: string;
  site_id: string;
  event_id: string;
  external_id: string | null;
  number: string | null;
  status: string | null;
  total: string | null;
  currency: string | null;
}

export interface NotificationClaim {
  id: string;
  site_id: string;
  account_id: string;
  event_id: string;
  /** The event's name. */
  event: string;
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

/**
 * `outdated`: the configuration changed since; nothing was written. `duplicate`: the key is taken; nothing was written. `optedOut`: the recipients of the
 * messages at these positions have opted out of them; nothing was written.
 */
export type ClaimOutcome = "claimed" | "duplicate" | "outdated" | { optedOut: number[] };

/**
 * Claims events: idempotency key, order, event and notifications of each, in one statement and one commit, and only where the configuration is still
 * the one that the event was planned against and nobody who opted out would get a message; the outcomes stand in the order of the claims. Idempotent by
 * event id, but for the event's own insert, which then fails with 23505.
 *
 * Keys and orders are touched in key order, so that two gateways cannot lock each other out; a batch must not hold one idempotency key twice.
 */
export async function claimEvents(sql: Sql, claims: EventClaim[], leaseSeconds: number): Promise<ClaimOutcome[]> {
  const events = claims.map(({ event }) => event);
  const bodies = claims.flatMap(({ event, body }) => (event.idempotency_key === null ? [] : [{ event_id: event.id, body }]));
  const orders = claims.flatMap(({ order }) => order ?? []);
  const notifications = claims.flatMap((claim) => claim.notifications);
  const sites = [...new Set(events.map(({ site_id }) => site_id))];
  const accounts = [...new Set(events.map(({ account_id }) => account_id))];
  const payloads = claims.map(({ event: { id, site_id }, payload, trace }) => ({ id, site_id, payload, trace }));
  const addressees = claims.flatMap((claim) => claim.addressees);
  const optional = [bodies, orders, notifications, addressees];
  const phones = addressees.length > 0 ? [[...new Set(addressees.map(({ phone_hash }) => phone_hash))]] : [];
  const lists = [
    ...(bodies.length > 0 ? [JSON.stringify(bodies)] : []),
    ...(orders.length > 0 ? [rowsText(orders, claimMembers.order_claim)] : []),
    ...(notifications.length > 0 ? [rowsText(notifications, claimMembers.notification_claim)] : []),
    ...(addressees.length > 0 ? [JSON.stringify(addressees)] : []),
  ];
  const rows = await sql.unsafe<ClaimRow[]>(
    claimStatement(optional.map((list) => (list.length > 0 ? "1" : "0")).join("")),
    [rowsText(events, claimMembers.event_claim), sites, accounts, leaseSeconds, JSON.stringify(payloads), ...lists, ...phones],
    { prepare: true },
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return events.map(({ id }) => outcome(found.get(id)));
}

/** The members of the row types of the same names, in their order. */
export const claimMembers = {
  event_claim: [
    "id",
    "site_id",
    "account_id",
    "site_version",
    "account_version",
    "source",
    "name",
    "test",
    "dry_run",
    "order_id",
    "idempotency_key",
    "bindings_run",
    "chat",
    "recipients_failed",
    "recipients_sent",
    "owner",
  ],
  order_claim: ["id", "site_id", "event_id", "external_id", "number", "status", "total", "currency"],
  notification_claim: [
    "id",
    "site_id",
    "account_id",
    "event_id",
    "event",
    "binding_id",
    "template_id",
    "template",
    "language",
    "to_phone",
    "position",
    "status",
    "components",
    "error_code",
    "error_reason",
  ],
} as const;

interface ClaimRow {
  id: string;
  claimed: boolean;
  /** Only of a batch with addressees. */
  opted_out?: number[] | null;
}

function outcome(row: ClaimRow | undefined): ClaimOutcome {
  if (row === undefined) return "outdated";
  if (row.opted_out) return { optedOut: row.opted_out };
  return row.claimed ? "claimed" : "duplicate";
}

/**
 * The statement for a batch with (1) or without (0) keys, orders, notifications and addressees: it names only the tables that the batch needs. Written once
 * each.
 */
const claimStatement = memoizeText((shape) => {
  let parameter = 5;
  const [keys, orders, notifications, addressees] = shape.split("").map((has) => (has === "1" ? `$${(parameter += 1)}` : null));
  return `
    with input as materialized (${inputRows("$1")}),
    ${addressees ? `unwilling as materialized (${optedOut(addressees, "$3", `$${parameter + 1}`)}),` : ""}
    current as materialized (${currentEvents("$2", "$3")} ${addressees ? "and i.id not in (select event_id from unwilling)" : ""}),
    ${keys ? takeKeys(keys) : "claimed as materialized (select id from current)"},
    ${orders ? `ordered as (${upsertOrders(orders)}),` : ""}
    ${notifications ? `logged as (${logNotifications(notifications)}),` : ""}
    stored as (${storeEvents("$4")}),
    kept as (${storePayloads("$5")})
    select id, id in (select id from claimed) as claimed ${addressees ? ", null::json as opted_out" : ""} from current
    ${addressees ? "union all select event_id, false, json_agg(position) from unwilling group by event_id" : ""}`;
});

/** By lists, so that the table is asked by its key and never read. */
const optedOut = (addressees: string, accounts: string, phones: string): string => `
  select i.event_id, i.position
  from opt_out o
  join json_to_recordset(${addressees}::text::json) as i(event_id uuid, account_id uuid, position integer, phone_hash text, marketing boolean)
    on i.account_id = o.account_id and i.phone_hash = o.phone_hash
  where o.account_id = any(${accounts}::uuid[]) and o.phone_hash = any(${phones}::text[]) and o.active and (i.marketing or o.scope = 'all')`;

const inputRows = (events: string): string => `
  select r.id, r.site_id, r.account_id, r.site_version, r.account_version, r.source, r.name, r.test, r.dry_run, r.order_id, r.idempotency_key,
    r.bindings_run, r.chat, r.recipients_failed, r.recipients_sent, r.owner
  from unnest(${events}::text::event_claim[]) as r`;

const currentEvents = (sites: string, accounts: string): string => `
  select i.id from input i
  join site s on s.id = i.site_id and s.config_version = i.site_version
  join account a on a.id = i.account_id and a.config_version = i.account_version
  where s.id = any(${sites}::uuid[]) and a.id = any(${accounts}::uuid[])`;

/** A key is free when its window is over and its original answered, or when it is this very event's: the statement may run twice. */
const takeKeys = (bodies: string): string => `
  keyed as (
    insert into idempotency (site_id, event, key, dry_run, event_id, expires_at, body)
    select i.site_id, i.name, i.idempotency_key, i.dry_run, i.id, now() + interval '5 minutes', b.body
    from input i join json_to_recordset(${bodies}::text::json) as b(event_id uuid, body text) on b.event_id = i.id
    where i.id in (select id from current)
    order by i.site_id, i.name, i.idempotency_key, i.dry_run
    on conflict (site_id, event, key, dry_run) do update
      set event_id = excluded.event_id, expires_at = excluded.expires_at, body = excluded.body
      where idempotency.event_id = excluded.event_id
        or (idempotency.expires_at <= now() and not exists (
          select from event e
          where e.site_id = idempotency.site_id and e.id = idempotency.event_id and e.lease_until is not null and e.chat is null))
    returning event_id
  ),
  claimed as materialized (
    select event_id as id from keyed
    union all
    select i.id from input i where i.idempotency_key is null and i.id in (select id from current)
  )`;

/** Events of one order in one batch are one row: each column takes the newest value that is there. */
const upsertOrders = (orders: string): string => `
  insert into customer_order as o (site_id, id, external_id, number, status, total, currency, last_event_id)
  select i.site_id, i.id,
    (array_agg(i.external_id order by i.event_id desc) filter (where i.external_id is not null))[1],
    (array_agg(i.number order by i.event_id desc) filter (where i.number is not null))[1],
    (array_agg(i.status order by i.event_id desc) filter (where i.status is not null))[1],
    (array_agg(i.total order by i.event_id desc) filter (where i.total is not null))[1],
    (array_agg(i.currency order by i.event_id desc) filter (where i.currency is not null))[1],
    (array_agg(i.event_id order by i.event_id desc))[1]
  from unnest(${orders}::text::order_claim[]) as i
  where i.event_id in (select id from claimed)
  group by i.site_id, i.id
  order by i.site_id, i.id
  on conflict (site_id, id) do update set
    external_id = coalesce(excluded.external_id, o.external_id), number = coalesce(excluded.number, o.number),
    status = coalesce(excluded.status, o.status), total = coalesce(excluded.total, o.total), currency = coalesce(excluded.currency, o.currency),
    last_event_id = excluded.last_event_id, updated_at = now()`;

const logNotifications = (notifications: string): string => `
  insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status,
    local_failure, components, error_code, error_reason, failed_at)
  select n.id, n.site_id, n.account_id, n.event_id, n.event, n.binding_id, n.template_id, n.template, n.language, n.to_phone, n.position, n.status,
    n.status = 'failed', n.components, n.error_code, n.error_reason, case when n.status = 'failed' then now() end
  from unnest(${notifications}::text::notification_claim[]) as n
  where n.event_id in (select id from claimed)`;

const storeEvents = (leaseSeconds: string): string => `
  insert into event (id, site_id, source, name, test, dry_run, order_id, idempotency_key, bindings_run, chat, recipients_sent,
    recipients_failed, owner, lease_until)
  select i.id, i.site_id, i.source, i.name, i.test, i.dry_run, i.order_id, i.idempotency_key, i.bindings_run, i.chat, i.recipients_sent,
    i.recipients_failed, i.owner, case when i.chat is null then now() + make_interval(secs => ${leaseSeconds}) end
  from input i where i.id in (select id from claimed)`;

const storePayloads = (payloads: string): string => `
  insert into event_payload (id, site_id, payload, trace)
  select p.id, p.site_id, p.payload, p.trace
  from json_to_recordset(${payloads}::text::json) as p(id uuid, site_id uuid, payload text, trace text)
  where p.id in (select id from claimed)`;
