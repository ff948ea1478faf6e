-- A message's outcome is written to the event's row and to its own soon after these are inserted, mostly to whole pages at once, before anything can be pruned.
-- The new version stays on the row's page, and adds nothing to the indexes, if half of the page is left free.

create or replace function make_week_partition(parent text, at timestamptz) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  -- Room for the second version of each row.
  room text := case when parent in ('event', 'notification') then 'with (fillfactor = 50)' else '' end;
begin
  if parent not in ('event', 'event_payload', 'notification', 'event_search') then
    raise exception '% has no weekly partitions', parent;
  end if;
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent, uuid_at(week), uuid_at(week + interval '7 days'), room);
  end if;
end $$;

do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent in ('event'::regclass, 'notification'::regclass) loop
    execute format('alter table %s set (fillfactor = 50)', partition);
  end loop;
end $$;
