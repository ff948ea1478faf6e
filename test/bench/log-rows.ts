import { spawnSync } from "node:child_process";
import { makePartitions } from "shared/db/migrate";
import type { Pool, Sql } from "shared/db/statement";
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
  /** Payloads of older events are gone; none are by default. */
  payloadDays?: number;
  /** When one in eighty messages is due, which waits; none does by default. */
  due?: Date;
  /** SQL: the rows of `event_search` of the events in the common table `made` with payloads; none are written by default. */
  search?: string;
}

/** The name and the template of three in ten events. */
const usual = { event: "order.paid", template: "order_paid" } as const;

/** The name and the template of one in ten thousand events. */
const seldom = { event: "cart.abandoned", template: "cart_abandoned" } as const;

const weeks = 8;
const weekMs = 7 * 86_400_000;
const eventsAnOrder = 4;
const messagesAPhone = 5;

// The data need not survive a crash, and nothing shall be written in the background during a later measurement.
const whileStoring =
  "fsync off, synchronous_commit off, full_page_writes off, autovacuum off, max_wal_size 4GB, maintenance_work_mem 1500MB, max_parallel_maintenance_workers 0"
    .split(", ")
    .map((setting) => setting.split(" ")) as [string, string][];

/**
 * Fills the log as gateways would have done over the past weeks: events with payloads of 1.2 KB, one message each, an order for every four. Each partition is
 * filled without its indexes, which are built after its rows: no row that an index had is missed, and its pages are full, where gateways leave many half empty.
 * The tables are vacuumed and analysed at the end. No program may run meanwhile, and the pool should have as many connections as there are cores.
 */
export async function storeLog(sql: Pool, rows: LogRows): Promise<void> {
  const started = performance.now();
  await makePartitions(sql, new Date(Date.now() - weeks * weekMs), weeks + 1);
  for (const [name, value] of whileStoring) await sql`alter system set ${sql(name)} = ${sql.unsafe(`'${value}'`)}`;
  await sql`select pg_reload_conf()`;
  await storeTables(sql, rows, Date.now() - weeks * weekMs);
  for (const [name] of whileStoring) await sql`alter system reset ${sql(name)}`;
  await sql`select pg_reload_conf()`;
  await sql`checkpoint`;
  spawnSync("sync");
  say(`  ${rows.to - rows.from} events and messages stored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

type LogTable = keyof typeof insertsOf;

/** A table that gets rows, or a part of one, as the catalogue describes it. */
interface Part {
  name: string;
  parent: LogTable;
  /** The bounds of its ids, as `alter table … attach partition` takes them; null for a table without parts. */
  bounds: string | null;
  start: Date | null;
  stop: Date | null;
}

async function storeTables(sql: Pool, rows: LogRows, since: number): Promise<void> {
  const left = await listParts(sql);
  const parted = left.filter(({ bounds }) => bounds !== null);
  for (const { parent, name } of parted) await sql`alter table ${sql(parent)} detach partition ${sql(name)}`;
  const work = async (): Promise<void> => {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      const started = performance.now();
      await sql.begin(async (transaction) => await storePart(transaction, rows, part as Part, since));
      await sql`vacuum (freeze) ${sql(part.name)}`;
      const seconds = (performance.now() - started) / 1000;
      if (seconds > 10) say(`  ${part.name} in ${seconds.toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: sql.options.max }, work));
  for (const { parent, name, bounds } of parted) {
    await sql.unsafe(`alter table ${parent} attach partition ${name} ${bounds ?? ""}`);
    await sql`alter table ${sql(name)} drop constraint if exists within`;
  }
  await sql`vacuum (analyze) event, event_payload, event_search, notification, customer_order`;
}

const listParts = (sql: Sql) => sql<Part[]>`
  select p.oid::regclass::text as name, c.relname as parent, null as bounds, null as start, null as stop from pg_class c, pg_class p
  where c.oid = 'customer_order'::regclass and p.oid = c.oid
  union all
  select name, parent, bounds, uuid_time(ids[1]::uuid), uuid_time(ids[2]::uuid) from (
    select p.oid::regclass::text as name, i.inhparent::regclass::text as parent, pg_get_expr(p.relpartbound, p.oid) as bounds,
      regexp_match(pg_get_expr(p.relpartbound, p.oid), '\\(''([^'']*)''\\) TO \\(''([^'']*)''\\)') as ids
    from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = any(${Object.keys(insertsOf)}::text[]::regclass[]) and p.relkind = 'r'
  ) part
  where ids is not null
  order by start nulls first, parent desc`;

/** Writes the rows of a part, and those that it has, into an emptied table, which needs no record in PostgreSQL's log where that is kept short. */
async function storePart(sql: Sql, rows: LogRows, { name, parent, bounds, start, stop }: Part, since: number): Promise<void> {
  const [from, to] = [Math.max(since, start?.getTime() ?? 0), Math.min(since + weeks * weekMs, stop?.getTime() ?? Infinity)];
  const oldest = parent === "event_payload" || parent === "event_search" ? Date.now() - (rows.payloadDays ?? Infinity) * 86_400_000 : from;
  if (to <= Math.max(from, oldest) || (parent === "event_search" && rows.search === undefined)) return;
  const indexes = await sql<{ drop: string; make: string }[]>`
    select format(case when c.oid is null then 'drop index %3$I' else 'alter table %1$I drop constraint %2$I' end, ${name}::text, c.conname, i.indexrelid::regclass) as drop,
      case when c.oid is null then pg_get_indexdef(i.indexrelid) else format('alter table %I add constraint %I %s', ${name}::text, c.conname, pg_get_constraintdef(c.oid)) end as make
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid and c.contype = 'p' where i.indrelid = ${name}::regclass`;
  for (const { drop } of indexes) await sql.unsafe(drop);
  await sql`create temp table had on commit drop as table ${sql(name)}`;
  await sql`truncate ${sql(name)}`;
  // Spares reading all rows when the part is attached.
  const within = bounds?.replace("FOR VALUES FROM", "id >=").replace("TO", "and id <");
  if (within !== undefined) await sql.unsafe(`alter table ${name} add constraint within check (${within})`);
  await sql`insert into ${sql(name)} table had`;
  const insert = insertsOf[parent](rows).replace("insert into", `insert into ${name}`);
  const made = madeRows(sql, rows, since, [Math.max(from, oldest), to], parent === "customer_order" ? eventsAnOrder : 1);
  await sql`with made as (${made}) ${sql.unsafe(insert)}`;
  for (const { make } of indexes) await sql.unsafe(make);
}

/** The rows that are made between two times, or the first of so many. */
function madeRows(sql: Sql, { shops, from, to, due }: LogRows, since: number, [start, stop]: readonly [number, number], every: number) {
  const step = (weeks * weekMs) / (to - from);
  const at = (ms: number) => Math.min(to, Math.max(from, from + Math.floor((ms - since) / step)));
  const order = sql`i / ${eventsAnOrder}::integer`;
  const column = (member: "siteId" | "accountId" | "bindingId" | "templateId") => {
    const ids = shops.map((shop) => shop[member]);
    return sql`(${ids}::uuid[])[1 + ${order} % ${shops.length}::integer]`;
  };
  const isSeldom = sql`i % 10000 = 4242`;
  const waits = due === undefined ? sql`false` : sql`i % 10 = 9 and i % 500 >= 440`;
  return sql`
    select i, number, site_id, account_id, binding_id, template_id, name, template, phone, status, due, to_timestamp(ms / 1000.0) as at,
      ${uuidAt(sql, "ms", "'e' || i")} as event_id, ${uuidAt(sql, "ms", "'n' || i")} as notification_id, ${orderIdOf(sql, "site_id", "number")} as order_id
    from (
      select i, ${order} as number, floor(${since}::float8 + (i - ${from}::integer) * ${step}::float8)::bigint as ms, ${due ?? null}::timestamptz as due,
        ${column("siteId")} as site_id, ${column("accountId")} as account_id, ${column("bindingId")} as binding_id, ${column("templateId")} as template_id,
        case when ${isSeldom} then ${seldom.event} when i % 10 < 6 then 'order.created' when i % 10 < 9 then ${usual.event} else 'order.shipped' end as name,
        case when ${isSeldom} then ${seldom.template} when i % 10 < 6 then 'order_created' when i % 10 < 9 then ${usual.template} else 'order_shipped' end
          as template,
        '+15557' || lpad((i % ${Math.ceil((to - from) / messagesAPhone)}::integer)::text, 7, '0') as phone,
        case when ${waits} then 'scheduled' when i % 100 < 2 then 'failed' when i % 100 < 6 then 'sent' when i % 100 < 40 then 'delivered' else 'read' end as status
      from generate_series(${at(start - 1)}::integer, ${at(stop + 1) - 1}::integer, ${every}::integer) as i
      offset 0
    ) numbered
    where ms >= ${start}::float8 and ms < ${stop}::float8`;
}

/** SQL: what is written to each table of `made`. */
const insertsOf = {
  notification: () => `
    insert into (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components,
      wa_message_id, error_code, error_reason, sent_at, delivered_at, read_at, failed_at, due_at)
    select notification_id, site_id, account_id, event_id, name, binding_id, template_id, template, 'en_US', phone, 0, status::notification_status,
      '[{"type":"body","parameters":[{"type":"text","text":"Ada"},{"type":"text","text":"' || number || '"}]}]',
      case when status <> 'scheduled' then 'wamid.HBgLMTU1NTEyMzQ1NjcVAgARGBI' || upper(substr(md5('w' || i), 1, 20)) || 'A' end,
      case when status = 'failed' then '131026' end, case when status = 'failed' then 'Message undeliverable' end,
      case when status <> 'scheduled' then at end, case when status in ('delivered', 'read') then at + interval '2 s' end,
      case when status = 'read' then at + interval '9 min' end, case when status = 'failed' then at + interval '3 s' end, case when status = 'scheduled' then due end
    from made`,
  event: () => `
    insert into (id, site_id, source, name, test, dry_run, order_id, bindings_run, chat, recipients_sent, recipients_failed)
    select event_id, site_id, 'generic', name, false, false, order_id, 1, case when status = 'failed' then 'failed' else 'sent' end,
      (status <> 'failed')::integer, (status = 'failed')::integer
    from made`,
  event_payload: () =>
    `insert into (id, site_id, payload) select event_id, site_id, replace('${orderBody("{n}").replaceAll("'", "''")}', '{n}', number::text) from made`,
  event_search: ({ search = "" }: LogRows) => `insert into (site_id, id, account_id, words, open_words, letters, customer) ${search}`,
  customer_order: () => `
    insert into (id, site_id, external_id, number, status, total, currency, last_event_id)
    select order_id, site_id, number::text, '#' || number, 'processing', '199.00', 'USD', event_id from made`,
};

/** A version 7 UUID of that time whose random part is always the same for the same words. */
const uuidAt = (sql: Sql, ms: string, words: string) =>
  sql.unsafe(`(lpad(to_hex(${ms}), 12, '0') || '7' || substr(md5(${words}), 1, 3) || 'a' || substr(md5(${words}), 4, 15))::uuid`);

/** The id that `shared/db/order-id` makes of an order that payloads name by its id. */
const orderIdOf = (sql: Sql, site: string, number: string) => {
  const digest = `encode(sha256(${site}::text::bytea || sha256(('id:' || ${number})::bytea)), 'hex')`;
  return sql.unsafe(`(substr(${digest}, 1, 12) || '8' || substr(${digest}, 14, 3) || '8' || substr(${digest}, 18, 15))::uuid`);
};
