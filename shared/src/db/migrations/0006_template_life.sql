alter table template
  add column requested_category text,              -- what was asked for here; the platform decides `category`
  add column quality text,                         -- the platform's score: GREEN, YELLOW, RED, UNKNOWN
  add column quality_at timestamptz,
  add column status_source text not null default 'create'
    check (status_source in ('create', 'submit', 'delete', 'sync', 'poll', 'callback')),
  add column told_at timestamptz,                  -- the platform's own time of the last status that a callback told
  add column submitting_at timestamptz;            -- a submission is under way since: callbacks concern the draft already

create table template_history (
  template_id uuid not null references template on delete cascade,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  from_status text,                                -- null for the first one
  to_status text not null,
  reason text,
  source text not null,
  primary key (template_id, id)
);

-- A trigger, so that no write can forget. The last hundred of a template are kept.
create function note_template_status() returns trigger language plpgsql as $$
begin
  insert into template_history (template_id, from_status, to_status, reason, source)
  values (new.id, case when tg_op = 'UPDATE' then old.status end, new.status, new.reason, new.status_source);
  delete from template_history where template_id = new.id
    and id <= (select id from template_history where template_id = new.id order by id desc offset 100 limit 1);
  return null;
end $$;
create trigger note_insert after insert on template for each row execute function note_template_status();
create trigger note_update after update on template for each row
  when (old.status is distinct from new.status) execute function note_template_status();

-- Whose templates are to be read when, and who is at it. One row an account with a platform.
create table template_poll (
  account_id uuid primary key references platform_account on delete cascade,
  due_at timestamptz not null default now(),
  owner uuid,
  claimed_at timestamptz,
  lease_until timestamptz,                         -- of the owner; over when the owner died
  failures integer not null default 0,
  last_at timestamptz,                             -- the last that went through
  problem text                                     -- why the last did not
);
insert into template_poll (account_id) select account_id from platform_account;

-- Soon after the credentials are entered, but not in the way of whoever is still entering them, or syncs right then.
create function hurry_template_poll() returns trigger language plpgsql as $$
begin
  insert into template_poll (account_id, due_at) values (new.account_id, now() + interval '5 minutes')
  on conflict (account_id) do update set due_at = excluded.due_at, failures = 0, problem = null;
  return null;
end $$;
create trigger poll_new after insert on platform_account for each row execute function hurry_template_poll();
create trigger poll_changed after update on platform_account for each row
  when ((old.waba_id, old.phone_number_id, old.access_token) is distinct from (new.waba_id, new.phone_number_id, new.access_token))
  execute function hurry_template_poll();

-- Files for media headers, in pieces so that none is ever one value.
create table media_file (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  type text not null,
  size integer,                                    -- null until it is whole
  platform_media_id text,                          -- what messages name it by; the platform forgets it after 30 days
  platform_phone_number_id text,                   -- the number that it was uploaded for
  platform_media_at timestamptz,
  created_at timestamptz not null default now()
);
create index media_file_account on media_file (account_id);
create table media_chunk (
  file_id uuid not null references media_file on delete cascade,
  position integer not null,
  bytes bytea not null,
  primary key (file_id, position)
);
alter table media_chunk alter column bytes set storage external;

alter table binding add column template_shape json; -- the template's slots when the variable map was last saved
