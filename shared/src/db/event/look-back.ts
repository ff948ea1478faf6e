import { describeReason } from "../../core/reason.ts";
import { type Sql, scalars } from "../statement.ts";

/*
 * An event that would have cancelled a message but came before it: it is remembered for an hour beside the keys of repeats, once for each value, unless a
 * message was there to be cancelled, and until one is.
 */

/** SQL: the name beside which such an event is remembered; no event has one with a space. */
const nameOf = (cancelKey: string): string => `'cancel ' || ${cancelKey}`;

/** SQL: remembers the events (`stop`) that cancelled none of a binding's messages (`stopped`), and fired none of it themselves (`asked`, where there is that). */
export const rememberCancels = (hasAsked: boolean): string => `
  remembered as (
    insert into idempotency (site_id, event, key, dry_run, event_id, expires_at)
    select distinct s.site_id, ${nameOf("s.key")}, s.event_id::text, false, s.event_id, now() + interval '1 hour'
    from stop s
    where s.code = 'cancelled_by_event' and not s.past and not exists (select from stopped d where d.site_id = s.site_id and d.key = s.key)
      ${hasAsked ? "and not exists (select from asked a where a.event_id = s.event_id and a.cancel_key = s.key)" : ""}
    on conflict do nothing
  )`;

/** SQL: of the messages that have a key (`asks`), those that an earlier event cancels (`foreseen`): each event those of one other. */
export const lookBack = (asks: string): string => `
  asked as materialized (
    select a.site_id, a.event_id, a.id, a.cancel_key
    from json_to_recordset(${asks}::text::json) as a(site_id uuid, event_id uuid, id uuid, cancel_key text) where a.event_id in (select id from claimed)
  ),
  met as (
    delete from idempotency i using (
      select a.site_id, a.cancel_key, first.event, first.key from (select distinct site_id, cancel_key from asked) a cross join lateral (
        select r.event, r.key from idempotency r
        where r.site_id = a.site_id and r.event = ${nameOf("a.cancel_key")} and not r.dry_run and r.expires_at > now()
        order by r.expires_at, r.key limit 1 for update skip locked
      ) first
    ) a
    where i.site_id = a.site_id and i.event = a.event and i.key = a.key and not i.dry_run
    returning a.site_id, a.cancel_key, (select e.name from event e where e.site_id = i.site_id and e.id = i.event_id) as name
  ),
  foreseen as materialized (select a.id, a.event_id, m.name from asked a join met m on m.site_id = a.site_id and m.cancel_key = a.cancel_key)`;

const place = "{event}";
const reason = describeReason({ code: "cancelled_by_event", event: place }).replaceAll("'", "''");

/** SQL: what the log says of a message `n` that an earlier event cancels; `f`: its row of `foreseen`. */
export const cancelledValues: Readonly<Record<string, string>> = {
  status: "case when f.id is null then n.status else 'cancelled' end",
  error_code: "case when f.id is null then n.error_code else 'cancelled_by_event' end",
  error_reason: `case when f.id is null then n.error_reason else replace('${reason}', '${place}', coalesce(f.name, '')) end`,
};

/** SQL: `chat` of an event `claimed` of which nothing is left to be sent (`logged`), as the log tells it: its messages were cancelled, or failed. */
export const foreseenOutcome = `
  case when (chat is null or chat = 'accepted') and id in (select event_id from foreseen) and not exists (
      select from logged l where l.event_id = claimed.id and (l.status in ('queued', 'sending') or (claimed.chat = 'accepted' and l.status = 'scheduled')))
    then case when recipients_failed > 0 then 'failed' else 'scheduled' end else chat end`;

/** The messages of an event, stored a moment ago, that an earlier one has cancelled. */
export const listForeseen = (sql: Sql, siteId: string, eventId: string) =>
  scalars(sql<{ id: string }[]>`
    select id from notification where site_id = ${siteId} and event_id = ${eventId} and error_code = 'cancelled_by_event'`);
