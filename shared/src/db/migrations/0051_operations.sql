-- What works on many is an operation: one row that tells who began it, how far it is and what became of its messages. The servers work on it page by page,
-- each at one server at a time. Backfills, erasures and the resends of earlier versions keep their own rows, which make their operations.

create table operation (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  kind text not null check (kind in ('resend', 'cancel', 'send_now', 'change_bindings', 'backfill', 'replay', 'replay_deliveries', 'erasure')),
  created_by text not null,
  created_at timestamptz not null default now(),
  -- What it is about, where that is one thing: its site, and its binding, event or endpoint. Both may be gone.
  site_id uuid,
  subject_id uuid,
  -- Of a resend: also of messages that would probably fail in the same way.
  force boolean not null default false,
  -- What it works on, as the call named it; null once everything was asked for.
  input text,
  -- Where the next page begins.
  position text,
  -- Everything was asked for by then.
  asked_at timestamptz,
  total integer not null,
  -- The number of its items, and of the parts that brought none.
  made integer not null default 0,
  without integer not null default 0,
  -- The outcomes as they were counted last: of its items, and of what brought none.
  sent integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  cancelled integer not null default 0,
  changed integer not null default 0,
  -- The items without an outcome, and those whose outcome may still change, as of then.
  waiting integer not null default 0,
  live integer not null default 0,
  stopping_at timestamptz,
  finished_at timestamptz,
  -- Nothing of it changes any more.
  settled_at timestamptz,
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz,
  -- When it had its last turn: the accounts take turns.
  served_at timestamptz
);
create index operation_account on operation (account_id, id);
create index operation_open on operation (account_id) where finished_at is null;
create index operation_due on operation (due_at) where settled_at is null;
create index operation_served on operation (account_id, served_at) where settled_at is null;

-- The messages that an operation made or changed, or its deliveries.
create table operation_item (
  operation_id uuid not null references operation on delete cascade on update cascade,
  id uuid not null,
  site_id uuid not null,
  -- As it was counted last; null while it waits.
  outcome text,
  -- It does not change any more.
  settled boolean not null default false,
  -- When it was due before, where that was changed.
  former timestamptz,
  primary key (operation_id, id)
);
create index operation_item_live on operation_item (operation_id) where not settled;

-- A request's operation, and whether its messages are among the operation's.
alter table requested_event add column operation_id uuid, add column counted boolean not null default false;
create index requested_event_operation on requested_event (operation_id) where operation_id is not null and not counted;

-- Programs of earlier versions do not name the operation.
create function name_operation() returns trigger language plpgsql as $$
begin
  new.operation_id := coalesce(new.operation_id, new.backfill_id);
  return new;
end $$;
create trigger name_operation before insert on requested_event for each row execute function name_operation();

create function make_operation() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'backfill' then
    insert into operation (id, account_id, kind, created_by, created_at, site_id, subject_id, total, finished_at, settled_at)
    values (new.id, new.account_id, 'backfill', new.created_by, new.created_at, new.site_id, new.binding_id, new.total, new.finished_at, new.finished_at);
  elsif tg_table_name = 'erasure' then
    insert into operation (id, account_id, kind, created_by, created_at, total, finished_at, settled_at)
    values (new.id, new.account_id, 'erasure', new.requested_by, new.requested_at, json_array_length(new.steps), new.finished_at, new.finished_at);
  else
    insert into operation (id, account_id, kind, created_by, created_at, site_id, force, total)
    values (new.id, new.account_id, 'resend', new.created_by, new.created_at, (new.filter->>'siteId')::uuid, new.force, new.total);
  end if;
  return null;
end $$;
create trigger make_operation after insert on backfill for each row execute function make_operation();
create trigger make_operation after insert on erasure for each row execute function make_operation();
create trigger make_operation after insert on resend_job for each row when (new.finished_at is null) execute function make_operation();

update requested_event set operation_id = backfill_id where backfill_id is not null;
insert into operation (id, account_id, kind, created_by, created_at, site_id, subject_id, total)
  select id, account_id, 'backfill', created_by, created_at, site_id, binding_id, total from backfill;
insert into operation (id, account_id, kind, created_by, created_at, total)
  select id, account_id, 'erasure', requested_by, requested_at, json_array_length(steps) from erasure;
insert into operation (id, account_id, kind, created_by, created_at, site_id, force, total)
  select id, account_id, 'resend', created_by, created_at, (filter->>'siteId')::uuid, force, total from resend_job where finished_at is null;
