-- What events are found by, one row each, learned from stored events soon after they were answered. `words` holds words of ASCII letters and digits, as
-- core/search.ts writes them, and of long numbers every ending, behind a word in capitals that is the account's own; `open_words` holds those that everybody in
-- the account may look for, `letters` those with letters, where any part of them is found.

create table event_search (
  id uuid not null,                                -- the event's
  site_id uuid not null,
  account_id uuid not null,
  words text not null,
  open_words text not null,
  letters text not null,
  customer text,                                   -- the name, as the payload has it
  primary key (site_id, id)
) partition by range (id);
create table event_search_default partition of event_search default;

-- How far a site's events are found, as in `event_learning`, whose lock holds for it too. In a table of its own, since no backup holds what is learned anew.
create table search_learning (
  site_id uuid primary key references site on delete cascade,
  fresh uuid not null default '00000000-0000-0000-0000-000000000000',
  settled uuid not null default '00000000-0000-0000-0000-000000000000'
);

create or replace function make_week_partition(parent text, at timestamptz) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  -- Room for the second version of each row.
  room text := case parent when 'notification' then 'with (fillfactor = 60)' when 'event' then 'with (fillfactor = 70)' else '' end;
begin
  if parent not in ('event', 'event_payload', 'notification', 'event_search') then
    raise exception '% has no weekly partitions', parent;
  end if;
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent, uuid_at(week), uuid_at(week + interval '7 days'), room);
  end if;
end $$;

create or replace function drop_week_partition(name text) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
begin
  if name !~ '^(event|event_payload|notification|event_search)_\d{4}w\d{2}$' then
    raise exception '% is no weekly partition', name;
  end if;
  execute format('drop table if exists public.%I', name);
end $$;

do $$
declare
  week text;
begin
  for week in select substr(relid::text, 7) from pg_partition_tree('event') where isleaf and relid::text like 'event\_2%' loop
    perform make_week_partition('event_search', to_date(week, 'IYYY"w"IW')::timestamptz);
  end loop;
end $$;

create index event_search_beginnings on event_search using gin (array_to_tsvector(string_to_array(words, ' '))) with (gin_pending_list_limit = 512);

-- Any part of a word is found where the extension is there, or may be made; else its beginning.
do $$
begin
  create extension if not exists pg_trgm;
exception when others then
  raise notice 'pg_trgm is not available: %', sqlerrm;
end $$;

do $$
declare
  schema text := (select extnamespace::regnamespace from pg_extension where extname = 'pg_trgm');
begin
  if schema is not null then
    execute format('create index event_search_parts on event_search using gin (letters %s.gin_trgm_ops) with (gin_pending_list_limit = 512)', schema);
  end if;
end $$;
