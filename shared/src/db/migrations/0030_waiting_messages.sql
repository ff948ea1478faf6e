-- Messages that do not leave with their event: scheduled, queued, held, or to be tried again. One row each, for as long as it waits or is being sent. The
-- log's row has the content.
create table waiting_message (
  site_id uuid not null,
  id uuid not null,                                -- the notification's
  account_id uuid not null,
  event_id uuid not null,
  binding_id uuid not null,
  phone_hash text not null,                        -- keyed digest: the same for every way of writing the number
  due_at timestamptz not null,                     -- not before
  queued_at timestamptz not null,                  -- when it was, or will be, due for the first time
  expires_at timestamptz,                          -- not later
  cancel_key text,                                 -- keyed digests of what `cancelOn` and `restartBy` compare
  restart_key text,
  owner uuid,                                      -- the gateway that sends it now
  again boolean not null default false,            -- the next time it is sent counts as another attempt
  doubts integer not null default 0,               -- how many gateways died while they sent it
  primary key (site_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index waiting_message_recipient on waiting_message (account_id, phone_hash, due_at, id);
create index waiting_message_queued on waiting_message (site_id, queued_at, id);
create index waiting_message_cancel on waiting_message (site_id, cancel_key) where cancel_key is not null;
create index waiting_message_restart on waiting_message (site_id, restart_key) where restart_key is not null;
create index waiting_message_owner on waiting_message (owner) where owner is not null;

-- Each recipient with waiting messages, so that theirs leave one after the other, and the many of one phone stand in nobody's way.
create table recipient_turn (
  account_id uuid not null,
  phone_hash text not null,
  site_id uuid not null,                           -- of the message that is next
  due_at timestamptz not null,                     -- the next message leaves no earlier; cancelled messages may make it too early
  paused_until timestamptz,                        -- the platform wants this phone left alone
  owner uuid,                                      -- the gateway that sends a message of theirs now
  primary key (account_id, phone_hash)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index recipient_turn_due on recipient_turn (site_id, due_at) where owner is null;
create index recipient_turn_owner on recipient_turn (owner) where owner is not null;

alter table notification add column due_at timestamptz;  -- of a message that waited for its time; infinity while its site is held
alter table notification add column tries jsonb;         -- refused tries before the last one: [{at, code}]
alter table event add column recipients_scheduled integer not null default 0;
alter table site add column hold_messages boolean not null default false;
alter table account add column messages_per_second integer default 80 check (messages_per_second between 1 and 1000);  -- null: not paced
alter table account add column retry_hours integer not null default 24 check (retry_hours between 0 and 720);

-- How often a binding's message left for a phone lately.
create table throttle (
  binding_id uuid not null references binding on delete cascade,
  phone_hash text not null,
  left_at timestamptz[] not null,
  until timestamptz not null,
  primary key (binding_id, phone_hash)
);
create index throttle_until on throttle (until);

-- The pace of each of the platform's numbers, over all gateways. What a crash of the database takes from it is back within a second.
create unlogged table number_pace (
  phone_number_id text primary key,
  next_at timestamptz not null,                    -- nobody has a turn from then on
  slowed_at timestamptz,                           -- when the platform last said that it is too fast
  slowed_to real not null default 1                -- which part of the pace was left then
);

-- How many messages each gateway handed over in a second.
create unlogged table send_count (
  account_id uuid not null,
  gateway_id uuid not null,
  second timestamptz not null,
  count integer not null,
  primary key (account_id, second, gateway_id)
);
