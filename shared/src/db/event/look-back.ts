import { describeReason } from "../../core/reason.ts";
import { eventOfIds } from "./answer.ts";

/*
 * An event that would have cancelled a message but came before it: its keys are remembered for an hour beside those of repeats, unless a message was there to
 * be cancelled, and until one is.
 */

const keyOf = (cancelKey: string): string => `'cancel ' || ${cancelKey}`;

/**
 * SQL: remembers the keys (`stop`) of events that cancelled none of a binding's messages (`stopped`), and fired none of it themselves (`asked`, where there is
 * that).
 */
export const rememberCancels = (hasAsked: boolean): string => `
  remembered as (
    insert into idempotency (site_id, event, key, dry_run, event_id, expires_at)
    select distinct on (s.site_id, s.key) s.site_id, '${eventOfIds}', ${keyOf("s.key")}, false, s.event_id, now() + interval '1 hour'
    from stop s
    where s.code = 'cancelled_by_event' and not exists (select from stopped d where d.site_id = s.site_id and d.key = s.key)
      ${hasAsked ? "and not exists (select from asked a where a.event_id = s.event_id and a.cancel_key = s.key)" : ""}
    order by s.site_id, s.key
    on conflict (site_id, event, key, dry_run) do update set event_id = excluded.event_id, expires_at = excluded.expires_at
  )`;

/** SQL: of the rows of messages that are to wait (`asked`), those that an earlier event cancels (`foreseen`), and the others (`waits`). */
export const lookBack = (columns: string): string => `
  met as (
    delete from idempotency i using (select distinct site_id, cancel_key from asked where cancel_key is not null) a
    where i.site_id = a.site_id and i.event = '${eventOfIds}' and i.key = ${keyOf("a.cancel_key")} and not i.dry_run and i.expires_at > now()
    returning a.site_id, a.cancel_key, (select e.name from event e where e.site_id = i.site_id and e.id = i.event_id) as name
  ),
  foreseen as materialized (select a.id, m.name from asked a join met m on m.site_id = a.site_id and m.cancel_key = a.cancel_key),
  waits as materialized (select ${columns} from asked a where a.id not in (select id from foreseen))`;

const place = "{event}";
const reason = describeReason({ code: "cancelled_by_event", event: place }).replaceAll("'", "''");

/** SQL: what the log says of a message `n` that an earlier event cancels; `f`: its row of `foreseen`. */
export const cancelledValues: Readonly<Record<string, string>> = {
  status: "case when f.id is null then n.status else 'cancelled' end",
  error_code: "case when f.id is null then n.error_code else 'cancelled_by_event' end",
  error_reason: `case when f.id is null then n.error_reason else replace('${reason}', '${place}', coalesce(f.name, '')) end`,
};
