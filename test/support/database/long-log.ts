import type { Pool } from "shared/db/connect";
import { newId } from "shared/db/ids";

/** Names that stand in few rows, or in one. */
export const seldom = { template: "order_seldom", event: "cart.abandoned", phone: "+15550000007", waMessageId: "wamid.7777" } as const;
export const usual = { template: "order_3", event: "order.paid" } as const;

const weeks = 8;

export interface LongLog {
  accountId: string;
  siteIds: [string, string];
}

/** An account with two sites and `rows` events with a message each, spread over the past eight weeks, in their partitions. */
export async function openLongLog(sql: Pool, rows: number): Promise<LongLog> {
  const accountId = newId();
  const siteIds: [string, string] = [newId(), newId()];
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'Test', 'verify')`;
  for (let week = weeks; week >= 0; week -= 1) {
    for (const table of ["event", "event_payload", "notification"]) {
      await sql`select make_week_partition(${table}, now() - ${week}::integer * interval '7 days')`;
    }
  }
  for (const id of siteIds)
    await sql`insert into site (id, account_id, name, url, source_type) values (${id}, ${accountId}, 'Shop', 'https://shop.example', 'generic')`;
  for (let from = 0; from < rows; from += 50_000) await store(sql, accountId, siteIds, { from, to: Math.min(rows, from + 50_000), rows });
  await sql`vacuum analyze event, notification`;
  return { accountId, siteIds };
}

const store = async (
  sql: Pool,
  accountId: string,
  [one, other]: [string, string],
  { from, to, rows }: { from: number; to: number; rows: number },
) => sql`
  with made as materialized (
    select n, case when n % 2 = 0 then ${one}::uuid else ${other}::uuid end as site_id,
      now() - interval '8 weeks' * (${rows}::integer - n) / ${rows}::integer as at,
      case when n % 100 < 2 then 'failed' when n % 100 < 6 then 'sent' when n % 100 < 40 then 'delivered' else 'read' end::notification_status as status,
      case when n % 10000 = 4242 then ${seldom.event} else (array['order.created', ${usual.event}, 'order.shipped'])[1 + n % 3] end as name,
      case when n % 10000 = 4242 then ${seldom.template} else 'order_' || n % 7 end as template
    from generate_series(${from}::integer, ${to - 1}::integer) n
  ),
  events as (
    insert into event (id, site_id, source, name, test, dry_run, bindings_run, chat)
    select ${idOf(sql, "e")}, site_id, 'generic', name, false, false, 1, 'sent' from made
  )
  insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components,
    wa_message_id, error_code, sent_at)
  select ${idOf(sql, "n")}, site_id, ${accountId}, ${idOf(sql, "e")}, name, ${accountId}, ${accountId}, template, 'en',
    '+1555' || lpad((n % 20000)::text, 7, '0'), 0, status, '[]', 'wamid.' || n, case when status = 'failed' then '131026' end, at
  from made`;

const idOf = (sql: Pool, letter: "e" | "n") =>
  sql.unsafe(
    `(left(uuid_at(at)::text, 14) || '7' || substr(md5('${letter}' || n), 1, 3) || '-a' || substr(md5('${letter}' || n), 4, 3) || '-' || substr(md5('${letter}' || n), 7, 12))::uuid`,
  );
