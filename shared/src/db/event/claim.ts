import type { Sql } from "../connect.ts";
import { memoizeText, rowsText } from "../sql-text.ts";

/** One event on its way into the database, as the rows that it becomes. Nothing is looked up before. */
export interface EventClaim {
  event: EventArrival;
  /** The text received. */
  payload: string;
  /** JSON; null when the notifications say it all. */
  trace: string | null;
  /** The dry run's answer, kept for duplicates. A live answer is composed from the event's row. */
  body: string | null;
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

/** The event's row, and what it says of its order. */
export interface EventArrival {
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
  idempotency_key: string | null;
  bindings_run: number;
  /** Null while messages are still to be sent: the event then belongs to `owner` for the lease. */
  chat: string | null;
  recipients_failed: number;
  recipients_sent: number;
  owner: string;
  /** Null when the payload names no order, and in a dry run; the other members are then null too. */
  order_id: string | null;
  order_external_id: string | null;
  order_number: string | null;
  order_status: string | null;
  order_total: string | null;
  order_currency: string | null;
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
  const notifications = claims.flatMap((claim) => claim.notifications);
  const addressees = claims.flatMap((claim) => claim.addressees);
  const rows = await sql.unsafe<ClaimRow[]>(
    claimStatement(shapeOf(claims)),
    [
      rowsText(events, claimMembers.event_arrival),
      [...new Set(events.map(({ site_id }) => site_id))],
      [...new Set(events.map(({ account_id }) => account_id))],
      leaseSeconds,
      claims.map(({ payload }) => payload),
      listOrNull(claims.map(({ trace }) => trace)),
      listOrNull(claims.map(({ body }) => body)),
      ...(notifications.length > 0 ? [rowsText(notifications, claimMembers.notification_claim)] : []),
      ...(addressees.length > 0 ? [JSON.stringify(addressees), [...new Set(addressees.map(({ phone_hash }) => phone_hash))]] : []),
    ],
    { prepare: true },
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return events.map(({ id }) => outcome(found.get(id)));
}

/** A list of nothing is as good as none. */
const listOrNull = (texts: (string | null)[]): (string | null)[] | null => (texts.some((text) => text !== null) ? texts : null);

/** The members of the row types of the same names, in their order. */
export const claimMembers = {
  event_arrival: [
    "id",
    "site_id",
    "account_id",
    "site_version",
    "account_version",
    "source",
    "name",
    "test",
    "dry_run",
    "idempotency_key",
    "bindings_run",
    "chat",
    "recipients_failed",
    "recipients_sent",
    "owner",
    "order_id",
    "order_external_id",
    "order_number",
    "order_status",
    "order_total",
    "order_currency",
  ],
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

/** What a batch holds decides which tables its statement names. */
function shapeOf(claims: readonly EventClaim[]): string {
  const orders = claims.flatMap(({ event }) => event.order_id ?? []);
  return [
    claims.some(({ event }) => event.idempotency_key !== null) ? "keys" : "",
    orders.length === 0 ? "" : new Set(orders).size === orders.length ? "orders" : "repeated orders",
    claims.some(({ notifications }) => notifications.length > 0) ? "notifications" : "",
    claims.some(({ addressees }) => addressees.length > 0) ? "addressees" : "",
  ].join();
}

/** The statement for a batch of a shape. Written once each. */
const claimStatement = memoizeText((shape) => {
  const [keys, orders, notifications, addressees] = shape.split(",");
  const opting = notifications ? 9 : 8;
  return `
    with ${addressees ? `unwilling as materialized (${optedOut("$3", `$${opting}`, `$${opting + 1}`)}),` : ""}
    ${keys ? "current" : "claimed"} as materialized (${currentEvents} ${addressees ? "and i.id not in (select event_id from unwilling)" : ""}),
    ${keys ? `${takeKeys},` : ""}
    ${orders ? `ordered as (${orders === "orders" ? upsertOrders : upsertRepeatedOrders}),` : ""}
    ${notifications ? `logged as (${logNotifications}),` : ""}
    stored as (${storeEvents}),
    kept as (insert into event_payload (id, site_id, payload, trace) select id, site_id, payload, trace from claimed)
    select id, ${keys ? "id in (select id from claimed)" : "true"} as claimed ${addressees ? ", null::json as opted_out" : ""} from ${keys ? "current" : "claimed"}
    ${addressees ? "union all select event_id, false, json_agg(position) from unwilling group by event_id" : ""}`;
});

/** By lists, so that the table is asked by its key and never read. */
const optedOut = (accounts: string, addressees: string, phones: string): string => `
  select i.event_id, i.position
  from opt_out o
  join json_to_recordset(${addressees}::text::json) as i(event_id uuid, account_id uuid, position integer, phone_hash text, marketing boolean)
    on i.account_id = o.account_id and i.phone_hash = o.phone_hash
  where o.account_id = any(${accounts}::uuid[]) and o.phone_hash = any(${phones}::text[]) and o.active and (i.marketing or o.scope = 'all')`;

const inputMembers = [...claimMembers.event_arrival, "payload", "trace", "body"];

/** The batch, as far as it was planned against the configuration of this moment. Its texts lie beside its rows, in the same order. */
const currentEvents = `
  select ${inputMembers.map((member) => `i.${member}`).join(", ")}
  from unnest($1::text::event_arrival[], $5::text[], $6::text[], $7::text[]) as i(${inputMembers.join(", ")})
  join site s on s.id = i.site_id and s.config_version = i.site_version
  join account a on a.id = i.account_id and a.config_version = i.account_version
  where s.id = any($2::uuid[]) and a.id = any($3::uuid[])`;

/** A key is free when its window is over and its original answered, or when it is this very event's: the statement may run twice. */
const takeKeys = `
  keyed as (
    insert into idempotency (site_id, event, key, dry_run, event_id, expires_at, body)
    select site_id, name, idempotency_key, dry_run, id, now() + interval '5 minutes', body from current
    where idempotency_key is not null
    order by site_id, name, idempotency_key, dry_run
    on conflict (site_id, event, key, dry_run) do update
      set event_id = excluded.event_id, expires_at = excluded.expires_at, body = excluded.body
      where idempotency.event_id = excluded.event_id
        or (idempotency.expires_at <= now() and not exists (
          select from event e
          where e.site_id = idempotency.site_id and e.id = idempotency.event_id and e.lease_until is not null and e.chat is null))
    returning event_id
  ),
  claimed as materialized (select ${inputMembers.join(", ")} from current where idempotency_key is null or id in (select event_id from keyed))`;

const storeOrders = (rows: string): string => `
  insert into customer_order as o (site_id, id, external_id, number, status, total, currency, last_event_id)
  ${rows}
  order by site_id, order_id
  on conflict (site_id, id) do update set
    external_id = coalesce(excluded.external_id, o.external_id), number = coalesce(excluded.number, o.number),
    status = coalesce(excluded.status, o.status), total = coalesce(excluded.total, o.total), currency = coalesce(excluded.currency, o.currency),
    last_event_id = excluded.last_event_id, updated_at = now()`;

const upsertOrders = storeOrders(`
  select site_id, order_id, order_external_id, order_number, order_status, order_total, order_currency, id
  from claimed where order_id is not null`);

const newest = (member: string): string => `(array_agg(${member} order by id desc) filter (where ${member} is not null))[1]`;

/** Events of one order in one batch are one row: each column takes the newest value that is there. */
const upsertRepeatedOrders = storeOrders(`
  select site_id, order_id, ${["order_external_id", "order_number", "order_status", "order_total", "order_currency", "id"].map(newest).join(", ")}
  from claimed where order_id is not null group by site_id, order_id`);

const logNotifications = `
  insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status,
    local_failure, components, error_code, error_reason, failed_at)
  select n.id, n.site_id, n.account_id, n.event_id, n.event, n.binding_id, n.template_id, n.template, n.language, n.to_phone, n.position, n.status,
    n.status = 'failed', n.components, n.error_code, n.error_reason, case when n.status = 'failed' then now() end
  from unnest($8::text::notification_claim[]) as n
  where n.event_id in (select id from claimed)`;

const storeEvents = `
  insert into event (id, site_id, source, name, test, dry_run, order_id, idempotency_key, bindings_run, chat, recipients_sent, recipients_failed,
    owner, lease_until)
  select id, site_id, source, name, test, dry_run, order_id, idempotency_key, bindings_run, chat, recipients_sent, recipients_failed,
    owner, case when chat is null then now() + make_interval(secs => $4) end
  from claimed`;
