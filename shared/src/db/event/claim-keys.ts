import { eventOfIds } from "./answer.ts";

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

/** SQL: the histories of the batch; `before` is empty for none, `after` null where nothing changes. */
export const historyRows = (histories: string): string =>
  `select event_id, site_id, id, before, after
    from json_to_recordset(${histories}::text::json) as h(event_id uuid, site_id uuid, id uuid, before text, after text)`;

/** SQL: leaves out the events whose thing has another history by now. */
export const unchangedHistories = `and i.id not in (
    select h.event_id from history h
    where h.before <> coalesce((select s.history from shop_history s where s.site_id = h.site_id and s.id = h.id), ''))`;

export const storeHistories = `
  insert into shop_history (site_id, id, history)
  select site_id, id, after from history where after is not null and event_id in (select id from claimed)
  order by site_id, id
  on conflict (site_id, id) do update set history = excluded.history, updated_at = now()`;

/**
 * SQL: takes the keys. A key is free if its window is over and its original answered, or if this same event holds it, as the statement may run twice. A
 * signed id is one key for all events and modes of the site, and counts for as long as its request can be repeated.
 */
export const takeKeys = (ids: boolean, from: "current" | "open", columns: readonly string[]): string => `
  keyed as (
    insert into idempotency (site_id, event, key, dry_run, event_id, expires_at, body)
    select ${ids ? idKeys : "site_id, name, idempotency_key, dry_run, id, key_end"}, body from ${from}
    where idempotency_key is not null
    order by 1, 2, 3, 4
    on conflict (site_id, event, key, dry_run) do update
      set event_id = excluded.event_id, expires_at = excluded.expires_at, body = excluded.body
      where idempotency.event_id = excluded.event_id
        or (idempotency.expires_at <= now() and not exists (
          select from event e
          where e.site_id = idempotency.site_id and e.id = idempotency.event_id and e.chat is null))
    returning event_id
  ),
  claimed as materialized (select ${columns.join(", ")} from ${from} where idempotency_key is null or id in (select event_id from keyed))`;

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
    select ${[...columns, "key_end"].join(", ")} from current where id <> all((select ids from shut)::uuid[])
  )`;

const idKeys = `site_id, case when id_until is null then name else '${eventOfIds}' end, idempotency_key, dry_run and id_until is null, id, key_end`;

/** SQL: takes the further keys of the claimed events for as long as their first ones, of which each is signed, or a shop's. */
export const takeAlso = (alsoKeys: string): string => `
  insert into idempotency (site_id, event, key, dry_run, event_id, expires_at)
  select c.site_id, '${eventOfIds}', k.key, false, c.id, c.key_end
  from json_to_recordset(${alsoKeys}::text::json) as k(event_id uuid, key text) join current c on c.id = k.event_id
  where c.id in (select event_id from keyed)
  order by 1, 3
  on conflict (site_id, event, key, dry_run) do update set event_id = excluded.event_id, expires_at = excluded.expires_at`;
