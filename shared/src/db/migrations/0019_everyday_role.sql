-- The programs connect with a role that owns no table (grants.ts says what it may do). Weekly partitions are made and dropped by functions with their owner's rights,
-- which take nothing but a week of a table that has weeks.

create or replace function make_week_partition(parent text, at timestamptz) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  room text := case when parent = 'notification' then 'with (fillfactor = 60)' else '' end;
begin
  if parent not in ('event', 'event_payload', 'notification') then
    raise exception '% has no weekly partitions', parent;
  end if;
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent, uuid_at(week), uuid_at(week + interval '7 days'), room);
  end if;
end $$;

create function drop_week_partition(name text) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
begin
  if name !~ '^(event|event_payload|notification)_\d{4}w\d{2}$' then
    raise exception '% is no weekly partition', name;
  end if;
  execute format('drop table if exists public.%I', name);
end $$;

revoke all on function make_week_partition(text, timestamptz), drop_week_partition(text) from public;
