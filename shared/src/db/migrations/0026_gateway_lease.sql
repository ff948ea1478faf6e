-- A gateway has one lease for all events that it works on, and renews it: an event's row is written at the claim and at its end, and neither write touches
-- an index, so that the second stays within its page.
create table gateway (
  id uuid primary key,              -- `event.owner` of what it claims
  lease_until timestamptz not null,
  since uuid not null               -- none of its unfinished events has a smaller id
);

-- Unfinished events whose gateway is gone or has given them back, and events that were opened again for a resend: whoever comes after `due_at` takes one.
create table event_due (
  site_id uuid not null,
  id uuid not null,
  due_at timestamptz not null,
  primary key (site_id, id)
);
create index event_due_at on event_due (due_at);

-- Finds what a gateway has left behind, whatever its site.
create index event_id on event using brin (id) with (pages_per_range = 32, autosummarize = on);

insert into event_due (site_id, id, due_at) select site_id, id, lease_until from event where lease_until is not null;
alter table event drop column lease_until;

-- Batches come as plain texts.
drop type event_arrival, event_claim, order_claim, notification_claim, event_progress, notification_result;

-- Callbacks name the message themselves, or its recipient. Where somebody searches by the platform's id alone, a summary of each few pages is enough; unlike
-- a whole index it leaves the second version of a row in its page.
drop index notification_wa_message;
create index notification_wa_message on notification using brin (wa_message_id text_bloom_ops (false_positive_rate = 0.005))
  with (pages_per_range = 32, autosummarize = on);

-- The planner takes the summary for useless.
create function messages_by_platform_id(ids text[]) returns table (site_id uuid, id uuid) language sql stable
  set search_path = public, pg_temp set enable_seqscan = off
  as $$ select n.site_id, n.id from notification n where n.wa_message_id = any(ids) $$;

create or replace function make_week_partition(parent text, at timestamptz) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  -- Room for the second version of each row.
  room text := case parent when 'notification' then 'with (fillfactor = 60)' when 'event' then 'with (fillfactor = 70)' else '' end;
begin
  if parent not in ('event', 'event_payload', 'notification') then
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
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'event'::regclass loop
    execute format('alter table %s set (fillfactor = 70)', partition);
  end loop;
end $$;
