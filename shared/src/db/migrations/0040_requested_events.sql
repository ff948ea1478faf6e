-- Events that people ask for: one that came before and is run once more, part of a backfill, or a test. A gateway takes each as it takes a request.

-- Messages of tests are counted nowhere.
alter table notification add column test boolean not null default false;
update notification n set test = true from event e where e.test and n.site_id = e.site_id and n.event_id = e.id;

-- All events of a name since a time, for a binding that was made later.
create table backfill (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  site_id uuid not null references site on delete cascade,
  binding_id uuid not null references binding on delete cascade,
  created_by text not null,
  request_id uuid not null,
  event text not null,
  -- The events: those with smaller ids than `above` and greater ones than `below` are left out, as are those up to `position`, which were asked for.
  above uuid not null,
  below uuid not null,
  position uuid not null,
  -- How many events there were at the start, and how many were asked for.
  total integer not null,
  asked integer not null default 0,
  created_at timestamptz not null default now(),
  worked_at timestamptz not null default now(),
  cancelled_at timestamptz,
  finished_at timestamptz
);
create unique index backfill_request on backfill (account_id, request_id);
create unique index backfill_open on backfill (account_id) where finished_at is null;
create index backfill_worked on backfill (worked_at) where finished_at is null;
create index backfill_binding on backfill (binding_id, id);

create table requested_event (
  -- The event's own, once it is taken.
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  site_id uuid not null references site on delete cascade,
  kind text not null check (kind in ('replay', 'backfill', 'test')),
  -- What the client calls it: a repeat of it is the same request.
  request_id uuid,
  -- The event that is run once more; null of a test.
  replay_of uuid,
  -- For these alone; both null: for all bindings of its name.
  binding_id uuid,
  template_id uuid,
  backfill_id uuid references backfill on delete set null,
  -- Of a test, until it is taken: the event's name, its payload, and the phone where it is not the site's.
  name text,
  payload text,
  phone text,
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz,
  done_at timestamptz,
  -- Why there is no such event; null when there is.
  problem text
);
create unique index requested_event_request on requested_event (account_id, request_id) where request_id is not null;
-- However many backfills a binding gets, an event is run once for it.
create unique index requested_event_once on requested_event (binding_id, replay_of) where kind = 'backfill';
create index requested_event_due on requested_event (due_at) where done_at is null;
create index requested_event_account on requested_event (account_id, kind, id);
create index requested_event_of on requested_event (site_id, replay_of, id);
create index requested_event_backfill on requested_event (backfill_id, id) where backfill_id is not null;
