import type { Sql } from "../../connect.ts";

/** What an event's answer is made of. */
export interface AnswerRow {
  event_id: string;
  site_id: string;
  name: string;
  order_id: string | null;
  /** Null while the event is unfinished. */
  chat: string | null;
  bindings_run: number;
  recipients_sent: number;
  recipients_failed: number;
  /** The whole body, in a dry run. */
  body: string | null;
  /** Whether its owner's time has run out, so that anybody may take it over. */
  lapsed: boolean;
  /** Whether a message is waiting for the platform's word after a take-over. */
  in_doubt: boolean;
}

/** The event that holds an idempotency key, or null when nobody does any more. */
export async function readAnswerByKey(
  sql: Sql,
  key: { siteId: string; event: string; key: string; dryRun: boolean },
): Promise<AnswerRow | null> {
  const rows = await sql<AnswerRow[]>`
    select e.id as event_id, e.site_id, e.name, e.order_id, e.chat, e.bindings_run, e.recipients_sent, e.recipients_failed, i.body,
      coalesce(e.lease_until <= now(), false) as lapsed,
      e.lease_until is not null and exists (
        select from notification n where n.site_id = e.site_id and n.event_id = e.id and n.in_doubt_since is not null) as in_doubt
    from idempotency i join event e on e.site_id = i.site_id and e.id = i.event_id
    where i.site_id = ${key.siteId} and i.event = ${key.event} and i.key = ${key.key} and i.dry_run = ${key.dryRun}`;
  return rows[0] ?? null;
}

/** Whether an event is stored. */
export async function isStored(sql: Sql, siteId: string, eventId: string): Promise<boolean> {
  const rows = await sql`select from event where site_id = ${siteId} and id = ${eventId}`;
  return rows.length > 0;
}
