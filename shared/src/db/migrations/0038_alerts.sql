-- What is wrong with an account, and whom it is told to.

-- The look at each account, at one server at a time, and what its owner has set.
create table alert_watch (
  account_id uuid primary key references account on delete cascade,
  conditions json not null default '{}',           -- by kind: {enabled?, bound?}
  quiet_hours json,                                -- a window; null: none
  urgent_always boolean not null default true,
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz
);
create index alert_watch_due on alert_watch (due_at);

create table alert (
  id uuid primary key,                             -- carries when it was raised
  account_id uuid not null references account on delete cascade,
  kind text not null,
  subject text not null,                           -- the id of what it is about; empty: the account
  detail json not null,
  cleared_at timestamptz
);
-- However many servers look at once, a condition is raised once.
create unique index alert_current on alert (account_id, kind, subject) where cleared_at is null;
create index alert_log on alert (account_id, id);
create index alert_cleared on alert (cleared_at) where cleared_at is not null;

create table alert_channel (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  kind text not null check (kind in ('email', 'slack', 'webhook')),
  target text not null,                            -- encrypted: an address or a URL
  target_hash text not null,                       -- keyed digest of it
  hint text not null,                              -- what is shown of it
  secret text,                                     -- encrypted: signs what a webhook is told
  secret_hint text,
  enabled boolean not null default true,
  disabled_because text check (disabled_because in ('gone')),
  confirm_hash bytea,                              -- SHA-256 of the link's token; null once it was opened, and where none is needed
  confirm_until timestamptz,
  created_at timestamptz not null default now(),
  check ((secret is not null) = (kind = 'webhook')),
  check (kind = 'email' or confirm_hash is null)
);
create unique index alert_channel_target on alert_channel (account_id, kind, target_hash);
create unique index alert_channel_confirm on alert_channel (confirm_hash) where confirm_hash is not null;

-- That a channel is to be told of an alert, or of its end. What falls due together is told in one message.
create table alert_notice (
  alert_id uuid not null references alert on delete cascade,
  channel_id uuid not null references alert_channel on delete cascade,
  cleared boolean not null,
  due_at timestamptz not null,
  told_at timestamptz,
  primary key (alert_id, channel_id, cleared)
);
create index alert_notice_due on alert_notice (channel_id, due_at) where told_at is null;

alter table outbox add column channel_id uuid references alert_channel on delete cascade;
create index outbox_channel on outbox (channel_id, id) where channel_id is not null;
