import type { Sql } from "../../connect.ts";

const reason = "The message was being sent when the backup was made that this is restored from; resend it if it did not arrive.";

/**
 * Closes whatever a backup caught under way: the installation that it was taken of has long sent it, and must not be repeated by the one that it is restored
 * into. Names only columns that have been there from the first, and tables that came later only where they are there.
 */
export async function closeUnfinished(sql: Sql): Promise<{ events: number }> {
  await sql`
    update notification set status = 'failed', local_failure = true, error_code = 'interrupted', error_reason = ${reason}, failed_at = now(),
      in_doubt_since = null
    where status in ('queued', 'sending')`;
  const events = await sql`
    update event e set lease_until = null,
      chat = coalesce(e.chat, case when t.failed = 0 then 'sent' when t.sent = 0 then 'failed' else 'partial' end),
      recipients_sent = case when e.chat is null then t.sent else e.recipients_sent end,
      recipients_failed = case when e.chat is null then t.failed else e.recipients_failed end
    from event u cross join lateral (
      select count(*) filter (where wa_message_id is not null)::integer as sent, count(*) filter (where wa_message_id is null)::integer as failed
      from notification n where n.site_id = u.site_id and n.event_id = u.id
    ) t
    where u.lease_until is not null and e.site_id = u.site_id and e.id = u.id`;
  const [jobs] = await sql<[{ there: boolean }]>`select to_regclass('resend_job') is not null as there`;
  if (jobs.there) await sql`update resend_job set finished_at = now() where finished_at is null`;
  return { events: events.count };
}
