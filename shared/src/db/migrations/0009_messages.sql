-- What becomes of messages: resends, traces, a log that is found in by what people know, statistics that need no log.

alter table notification
  add column event text not null default '',       -- the event's name
  add column resend_of uuid,                       -- the message that this one repeats
  add column resent_as uuid;                       -- the message that repeats this one: set once, so two clicks send once
update notification n set event = e.name from event e where e.site_id = n.site_id and e.id = n.event_id;

-- None holds a column that changes with a status but the one of failures: callbacks rewrite no index. The conditions are always true and say that an
-- index is for those alone who name its column: else PostgreSQL may take it, for its site and id, in the place of the key, and read all of it.
create index notification_kind on notification (site_id, template, event, id) where template <> '';
create index notification_phone on notification (site_id, to_phone, id) where to_phone <> '';
create index notification_failed on notification (site_id, id) where error_code is not null;
create index event_name on event (site_id, name, id) where name <> '';

-- A message's row is rewritten with each status. Where its page has room for that, a rewrite that changes no indexed column touches no index, and what it
-- leaves behind is cleared away by the next: fewer pages in the end than without room.
create or replace function make_week_partition(parent text, at timestamptz) returns void language plpgsql as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  room text := case when parent = 'notification' then 'with (fillfactor = 60)' else '' end;
begin
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent, uuid_at(week), uuid_at(week + interval '7 days'), room);
  end if;
end $$;
do $$
declare
  part text;
begin
  for part in select relid::text from pg_partition_tree('notification') where isleaf loop
    execute format('alter table %s set (fillfactor = 60)', part);
  end loop;
end $$;

alter table event add column replays integer not null default 0;       -- how often its answer was given again, for its key
alter table event_payload add column trace text;   -- JSON, shared/core/binding/event-trace.ts; null: the messages say it all

-- Messages of whole days, counted once most of their statuses have come.
create table notification_day (
  site_id uuid not null references site on delete cascade,
  day date not null,                               -- of the time zone that notification_count names
  template text not null,
  status notification_status not null,
  error_code text not null,                        -- '': none
  count integer not null,
  primary key (site_id, day, template, status, error_code)
);

-- How far a site's days are counted. Locked by whoever counts.
create table notification_count (
  site_id uuid primary key references site on delete cascade,
  timezone text not null,
  counted_to date not null                         -- not included
);

-- Statuses that changed so late that their day may be counted already: the time of each such message, to the quarter of an hour, which is what
-- midnights differ by. Only ever added to, in the statement that changes the status, so whoever sees the row sees the change.
create table notification_late (
  site_id uuid not null references site on delete cascade,
  at timestamptz not null
);

-- A filter whose failed messages are being sent again, newest first. Locked by whoever works on it.
create table resend_job (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  created_by text not null,                        -- an e-mail address
  filter json not null,                            -- shared/core/input/notification.ts
  force boolean not null,
  total integer not null,                          -- when it began
  below uuid not null,                             -- what is still to be looked at has a smaller id
  resent integer not null default 0,
  refused integer not null default 0,
  created_at timestamptz not null default now(),
  worked_at timestamptz not null default now(),
  finished_at timestamptz
);
create index resend_job_open on resend_job (worked_at) where finished_at is null;

-- The instant that a version 7 UUID carries, to the millisecond.
create function uuid_time(id uuid) returns timestamptz language sql immutable strict parallel safe as $$
  select to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
$$;
