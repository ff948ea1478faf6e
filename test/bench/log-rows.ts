import { spawnSync } from "node:child_process";
import { makePartitions } from "shared/db/migrate";
import type { Pool } from "shared/db/statement";
import type { Shop } from "../support/gateway.ts";
import { say } from "./report.ts";
import { orderBody } from "./requests.ts";

/** The rows to add: those with these numbers, spread evenly over the past weeks. The rows of the next call lie between them in time. */
export interface LogRows {
  shops: readonly Shop[];
  /** The first number, included; at the beginning of an order. */
  from: number;
  /** The last number, excluded. */
  to: number;
}

/** The name and the template of three in ten events. */
const usual = { event: "order.paid", template: "order_paid" } as const;

/** The name and the template of one in ten thousand events. */
const seldom = { event: "cart.abandoned", template: "cart_abandoned" } as const;

const weeks = 8;
const weekMs = 7 * 86_400_000;
const batch = 20_000;
const eventsAnOrder = 4;
const messagesAPhone = 5;

// The data need not survive a crash, and nothing shall be written in the background during a later measurement.
const whileStoring = ["fsync = off", "full_page_writes = off", "autovacuum = off", "max_wal_size = '8GB'"];

/**
 * Fills the log as gateways would have done over the past weeks: events with payloads of 1.2 KB, one message each, an order for every four. Indexes are
 * in place all along; the tables are vacuumed and analysed at the end. The pool should have as many connections as there are cores.
 */
export async function storeLog(sql: Pool, rows: LogRows): Promise<void> {
  const started = performance.now();
  await makePartitions(sql, new Date(Date.now() - weeks * weekMs), weeks + 1);
  for (const setting of whileStoring) await sql.unsafe(`alter system set ${setting}`);
  await sql`select pg_reload_conf()`;
  await storeBatches(sql, rows);
  await sql`vacuum (freeze, analyze) event, event_payload, notification, customer_order`;
  for (const setting of whileStoring) await sql.unsafe(`alter system reset ${setting.split(" ")[0]}`);
  await sql`select pg_reload_conf()`;
  await sql`checkpoint`;
  spawnSync("sync");
  say(`  ${rows.to - rows.from} events and messages stored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

async function storeBatches(sql: Pool, rows: LogRows): Promise<void> {
  let next = rows.from;
  const work = async (): Promise<void> => {
    while (next < rows.to) {
      const from = next;
      next = Math.min(rows.to, from + batch);
      await storeBatch(sql, rows, from, next);
      if (Math.floor(from / 1e6) < Math.floor(next / 1e6)) say(`  ${Math.floor(next / 1e6)} million`);
    }
  };
  await Promise.all([work(), work()]);
}

const storeBatch = async (sql: Pool, rows: LogRows, from: number, to: number): Promise<unknown> => sql`
  with numbered as (${numberedRows(sql, rows, from, to)}),
  made as materialized (
    select i, number, site_id, account_id, binding_id, template_id, name, template, phone, status, to_timestamp(ms / 1000.0) as at,
      ${uuidAt(sql, "ms", "'e' || i")} as event_id, ${uuidAt(sql, "ms", "'n' || i")} as notification_id, ${orderIdOf(sql, "site_id", "number")} as order_id
    from numbered
  ),
  orders as (
    insert into customer_order (id, site_id, external_id, number, status, total, currency, last_event_id)
    select order_id, site_id, number::text, '#' || number, 'processing', '199.00', 'USD', event_id from made where i % ${eventsAnOrder}::integer = 0
  ),
  payloads as (
    insert into event_payload (id, site_id, payload) select event_id, site_id, replace(${orderBody("{n}")}, '{n}', number::text) from made
  ),
  events as (
    insert into event (id, site_id, source, name, test, dry_run, order_id, bindings_run, chat, recipients_sent, recipients_failed)
    select event_id, site_id, 'generic', name, false, false, order_id, 1, case when status = 'failed' then 'failed' else 'sent' end,
      (status <> 'failed')::integer, (status = 'failed')::integer
    from made
  )
  insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components,
    wa_message_id, error_code, error_reason, sent_at, delivered_at, read_at, failed_at)
  select notification_id, site_id, account_id, event_id, name, binding_id, template_id, template, 'en_US', phone, 0, status::notification_status,
    '[{"type":"body","parameters":[{"type":"text","text":"Ada"},{"type":"text","text":"' || number || '"}]}]',
    'wamid.HBgLMTU1NTEyMzQ1NjcVAgARGBI' || upper(substr(md5('w' || i), 1, 20)) || 'A',
    case when status = 'failed' then '131026' end, case when status = 'failed' then 'Message undeliverable' end,
    at, case when status in ('delivered', 'read') then at + interval '2 s' end, case when status = 'read' then at + interval '9 min' end,
    case when status = 'failed' then at + interval '3 s' end
  from made`;

/** The columns that differ from row to row: time, order, shop, name, template, phone, status. */
const numberedRows = (sql: Pool, { shops, from: first, to: last }: LogRows, from: number, to: number) => {
  const order = sql`i / ${eventsAnOrder}::integer`;
  const column = (member: "siteId" | "accountId" | "bindingId" | "templateId") => {
    const ids = shops.map((shop) => shop[member]);
    return sql`(${ids}::uuid[])[1 + ${order} % ${shops.length}::integer]`;
  };
  const start = Date.now() - weeks * weekMs;
  const step = (weeks * weekMs) / (last - first);
  const isSeldom = sql`i % 10000 = 4242`;
  return sql`
    select i, ${order} as number, floor(${start}::float8 + (i - ${first}::integer) * ${step}::float8)::bigint as ms,
      ${column("siteId")} as site_id, ${column("accountId")} as account_id, ${column("bindingId")} as binding_id, ${column("templateId")} as template_id,
      case when ${isSeldom} then ${seldom.event} when i % 10 < 6 then 'order.created' when i % 10 < 9 then ${usual.event} else 'order.shipped' end as name,
      case when ${isSeldom} then ${seldom.template} when i % 10 < 6 then 'order_created' when i % 10 < 9 then ${usual.template} else 'order_shipped' end
        as template,
      '+15557' || lpad((i % ${Math.ceil((last - first) / messagesAPhone)}::integer)::text, 7, '0') as phone,
      case when i % 100 < 2 then 'failed' when i % 100 < 6 then 'sent' when i % 100 < 40 then 'delivered' else 'read' end as status
    from generate_series(${from}::integer, ${to - 1}::integer) as i`;
};

/** A version 7 UUID of that time whose random part is always the same for the same words. */
const uuidAt = (sql: Pool, ms: string, words: string) =>
  sql.unsafe(`(lpad(to_hex(${ms}), 12, '0') || '7' || substr(md5(${words}), 1, 3) || 'a' || substr(md5(${words}), 4, 15))::uuid`);

/** The id that `shared/db/order-id` makes of an order that payloads name by its id. */
const orderIdOf = (sql: Pool, site: string, number: string) => {
  const digest = `encode(sha256(${site}::text::bytea || sha256(('id:' || ${number})::bytea)), 'hex')`;
  return sql.unsafe(`(substr(${digest}, 1, 12) || '8' || substr(${digest}, 14, 3) || '8' || substr(${digest}, 18, 15))::uuid`);
};
