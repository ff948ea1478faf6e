/** A needed key counts for as long as a shop's repeats do. */
const neededHours = 48;

/** A key that an event needs beside its own: nothing of it is stored while somebody else holds that key. */
export interface NeededKey {
  event_id: string;
  site_id: string;
  /** The key's space, in place of an event's name. */
  event: string;
  key: string;
  /** Who may hold the key already: the event itself, or all who take part in the same thing. */
  holder: string;
}

/** SQL: takes the keys that events need beside their own, and leaves out the events whose key somebody else holds. All are taken before a key of an event is. */
export const takeNeeded = (needs: string, columns: readonly string[]): string => `
  need as materialized (
    select n.event_id, n.site_id, n.event, n.key, n.holder
    from json_to_recordset(${needs}::text::json) as n(event_id uuid, site_id uuid, event text, key text, holder uuid)
    where n.event_id in (select id from current)
  ),
  taken as (
    insert into idempotency as i (site_id, event, key, dry_run, event_id, expires_at)
    select distinct on (site_id, event, key) site_id, event, key, false, holder, now() + interval '${neededHours} hours' from need
    order by site_id, event, key, event_id
    on conflict (site_id, event, key, dry_run) do update set event_id = excluded.event_id, expires_at = excluded.expires_at
      where i.event_id = excluded.event_id or i.expires_at <= now()
    returning site_id, event, key, event_id as holder
  ),
  shut as materialized (
    select coalesce(array_agg(n.event_id), '{}') as ids from need n
    where not exists (select from taken t where t.site_id = n.site_id and t.event = n.event and t.key = n.key and t.holder = n.holder)
  ),
  open as materialized (
    select ${columns.join(", ")} from current where id <> all((select ids from shut)::uuid[])
  )`;
