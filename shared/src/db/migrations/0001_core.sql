-- The service's own tables. Append-only: a change is a new file.
--
-- Ids are UUIDv7 made by the application, so an id carries its time: "received at" and "created at" of an event and a notification are read from
-- the id, lists are ordered by it, and the two big tables are partitioned by it. Hot tables carry site_id in their key; hot statements name it.

create table account (
  id uuid primary key,
  name text not null,
  timezone text not null default 'UTC',
  verify_token text not null,                      -- what the platform echoes in the callback's handshake
  config_version bigint not null default 1,        -- bumped by triggers below
  created_at timestamptz not null default now()
);

create table app_user (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  email text not null,
  name text not null,
  role text not null check (role in ('owner', 'operator', 'viewer')),
  password_hash text not null,                     -- argon2id
  created_at timestamptz not null default now()
);
create unique index app_user_email on app_user (lower(email));
create index app_user_account on app_user (account_id);

create table user_session (
  id text primary key,                             -- SHA-256 of the session token, hex
  user_id uuid not null references app_user on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index user_session_user on user_session (user_id);

create table access_token (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  created_by uuid not null references app_user on delete cascade,
  name text not null,
  role text not null check (role in ('owner', 'operator', 'viewer')),
  token_hash bytea not null unique,                -- SHA-256
  hint text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index access_token_account on access_token (account_id);

create table invite (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  created_by uuid not null references app_user on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'operator', 'viewer')),
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  created_at timestamptz not null default now()
);

create table platform_account (
  account_id uuid primary key references account on delete cascade,
  sandbox boolean not null,
  waba_id text not null,
  phone_number_id text not null,
  api_version text not null,
  app_id text,
  access_token text not null,                      -- encrypted (vault), like every column that says so
  access_token_hint text not null,
  app_secret text,                                 -- encrypted
  stopped_code text,                               -- set while the platform refuses the whole account
  stopped_reason text,
  stopped_at timestamptz,
  probe_after timestamptz,                         -- from then on one message may try again
  updated_at timestamptz not null default now()
);

-- Apart from platform_account: written by every callback, and must not bump the configuration.
create table platform_callback (
  account_id uuid primary key references account on delete cascade,
  last_at timestamptz not null
);

create table site (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  name text not null,
  url text not null,
  source_type text not null check (source_type in ('woocommerce', 'shopify', 'generic')),
  enabled boolean not null default true,
  test_phone text,
  require_timestamp boolean not null default false,
  rate_limit_per_second integer,
  key_hash bytea not null,                         -- SHA-256 of the API key; the key itself carries the site's id
  key_hint text not null,
  webhook_secret text not null,                    -- encrypted
  config_version bigint not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz                           -- the log outlives the site
);
create index site_account on site (account_id, id);

create table site_recipient (
  id uuid primary key,
  site_id uuid not null references site on delete cascade,
  phone text not null,
  label text not null default '',
  active boolean not null default true,
  created_at timestamptz not null default now(),
  unique (site_id, phone)
);

create table template (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  platform_id text,                                -- null while a draft
  name text not null,
  language text not null,
  category text not null,
  status text not null check (status in ('draft', 'pending', 'approved', 'rejected', 'paused', 'disabled')),
  reason text,                                     -- why rejected or paused, in the platform's words
  definition json not null,                        -- shared/core/template/definition.ts
  synced_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name, language)
);

create table binding (
  id uuid primary key,
  site_id uuid not null references site on delete cascade,
  event text not null,
  template_id uuid not null references template,
  recipient json not null,                         -- shared/core/binding/recipient.ts
  variable_map json not null,                      -- shared/core/varspec/schema.ts
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index binding_site_event on binding (site_id, event);
create index binding_template on binding (template_id);

create table event (
  id uuid not null,
  site_id uuid not null,
  source text not null,
  name text not null,
  test boolean not null,
  dry_run boolean not null,
  payload text not null,                           -- exactly as received; json and jsonb refuse what customers may send
  order_id uuid,
  idempotency_key text,
  bindings_run integer not null,
  chat text,                                       -- null until answered
  recipients_sent integer not null default 0,
  recipients_failed integer not null default 0,
  owner uuid,                                      -- whoever works on it: a gateway's instance, or one take-over
  lease_until timestamptz,                         -- null once finished
  primary key (site_id, id)
) partition by range (id);
create table event_default partition of event default;
create index event_unfinished on event (lease_until) where lease_until is not null;
create index event_order on event (site_id, order_id, id) where order_id is not null;

-- Accepted requests of the last second at each rate-limited site, in slots of 50 ms. Losing it in a crash costs nothing.
create unlogged table site_rate (
  site_id uuid primary key,
  slot bigint not null,                            -- the newest slot: 50 ms since the epoch
  accepted integer[] not null                      -- newest first
);

create table idempotency (
  site_id uuid not null,
  event text not null,
  key text not null,
  dry_run boolean not null,
  event_id uuid not null,
  expires_at timestamptz not null,
  body text,                                       -- the original's answer; null while it runs
  primary key (site_id, event, key, dry_run)
);
create index idempotency_expires on idempotency (expires_at);

create table customer_order (
  id uuid not null,
  site_id uuid not null,
  reference_hash bytea not null,                   -- SHA-256 of "id:" or "number:" and the value: values may be longer than an index takes
  external_id text,
  number text,
  status text,
  total text,
  currency text,
  last_event_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (site_id, reference_hash)
);
create index customer_order_id on customer_order (site_id, id);

-- In the order in which a status may replace another: merging two is taking the greater.
create type notification_status as enum ('queued', 'sending', 'sent', 'failed', 'delivered', 'read');

-- The one rule by which a word about a message changes its row. Our own failure counts only while the platform has not spoken,
-- and yields to whatever the platform says; among the platform's words the greater stands.
create function merge_status(old notification_status, old_local boolean, new notification_status, new_local boolean)
returns notification_status language sql immutable as $$
  select case
    when new_local then case when old in ('queued', 'sending') then new else old end
    when old_local then new
    else greatest(old, new)
  end
$$;

create table notification (
  id uuid not null,
  site_id uuid not null,
  account_id uuid not null,
  event_id uuid not null,
  binding_id uuid not null,
  template_id uuid not null,
  template text not null,
  language text not null,
  to_phone text not null,
  position integer not null,                       -- within its event
  status notification_status not null,
  local_failure boolean not null default false,    -- failed by our own word, which yields to any word of the platform
  attempt smallint not null default 1,
  in_doubt_since timestamptz,                      -- since a take-over found it under way without a result
  components text not null,                        -- JSON, as sent
  wa_message_id text,
  error_code text,
  error_reason text,
  error_detail text,                               -- JSON: the platform's whole error
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  primary key (site_id, id)
) partition by range (id);
create table notification_default partition of notification default;
create index notification_event on notification (site_id, event_id);
create index notification_wa_message on notification (wa_message_id) where wa_message_id is not null;

create table audit_entry (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  actor text not null,
  action text not null,
  subject text,
  address text,
  created_at timestamptz not null default now()
);
create index audit_entry_account on audit_entry (account_id, id);

-- A week's partition of `parent` that holds the instant `at`. Idempotent; the default partition takes what no partition takes.
create function make_week_partition(parent text, at timestamptz) returns void language plpgsql as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
begin
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, uuid_at(week), uuid_at(week + interval '7 days'));
  end if;
end $$;

-- The smallest UUID that carries the instant: 48 bits of milliseconds, the rest zero.
create function uuid_at(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- How many of `wanted` requests the site may still accept, so that no second ever holds more than `allowed`; counts them as accepted.
create function take_site_rate(site uuid, allowed integer, wanted integer) returns integer language plpgsql as $$
declare
  newest bigint;
  counts integer[];
  this_slot bigint;
  gap integer;
  granted integer;
begin
  insert into site_rate values (site, 0, array_fill(0, array[21])) on conflict do nothing;
  select slot, accepted into newest, counts from site_rate where site_id = site for update;
  this_slot := floor(extract(epoch from clock_timestamp()) * 20);
  -- A clock that was set back starts afresh; within a second it only jitters.
  gap := case when this_slot < newest - 20 then 21 else greatest(0, least(this_slot - newest, 21)) end;
  this_slot := case when this_slot < newest - 20 then this_slot else greatest(this_slot, newest) end;
  if gap > 0 then
    counts := (array_fill(0, array[gap]) || counts)[1:21];
  end if;
  granted := greatest(0, least(wanted, allowed - (select sum(n) from unnest(counts) n)::integer));
  counts[1] := counts[1] + granted;
  update site_rate set slot = this_slot, accepted = counts where site_id = site;
  return granted;
end $$;

-- Configuration versions. Triggers, so that no write can forget: a gateway compares both in the statement that claims an event.
create function bump_own_version() returns trigger language plpgsql as $$
begin
  new.config_version := old.config_version + 1;
  return new;
end $$;
create trigger bump before update on site for each row when (old.* is distinct from new.*) execute function bump_own_version();
create trigger bump before update on account for each row when (old.* is distinct from new.*) execute function bump_own_version();

create function bump_sites() returns trigger language plpgsql as $$
begin
  update site set config_version = config_version + 1 where id in (select site_id from changed);
  return null;
end $$;
create function bump_accounts() returns trigger language plpgsql as $$
begin
  update account set config_version = config_version + 1 where id in (select account_id from changed);
  return null;
end $$;

create trigger bump_insert after insert on site_recipient referencing new table as changed for each statement execute function bump_sites();
create trigger bump_update after update on site_recipient referencing new table as changed for each statement execute function bump_sites();
create trigger bump_delete after delete on site_recipient referencing old table as changed for each statement execute function bump_sites();
create trigger bump_insert after insert on binding referencing new table as changed for each statement execute function bump_sites();
create trigger bump_update after update on binding referencing new table as changed for each statement execute function bump_sites();
create trigger bump_delete after delete on binding referencing old table as changed for each statement execute function bump_sites();
create trigger bump_insert after insert on template referencing new table as changed for each statement execute function bump_accounts();
create trigger bump_update after update on template referencing new table as changed for each statement execute function bump_accounts();
create trigger bump_delete after delete on template referencing old table as changed for each statement execute function bump_accounts();
create trigger bump_insert after insert on platform_account referencing new table as changed for each statement execute function bump_accounts();
create trigger bump_update after update on platform_account referencing new table as changed for each statement execute function bump_accounts();
create trigger bump_delete after delete on platform_account referencing old table as changed for each statement execute function bump_accounts();
