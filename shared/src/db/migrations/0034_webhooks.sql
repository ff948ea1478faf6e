-- Word back to the customer: what became of messages, posted to addresses that a site's operator has entered.

create table webhook (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  site_id uuid not null references site on delete cascade,
  url text not null check (length(url) <= 2048),
  types text[] not null,
  enabled boolean not null default true,
  disabled_because text check (disabled_because in ('gone', 'failing')),  -- null: by an operator, or it is enabled
  failing_since timestamptz,                       -- no delivery has arrived since then; null: the last one has
  created_at timestamptz not null default now()
);
create index webhook_site on webhook (site_id, id);
create index webhook_account on webhook (account_id, id);

-- Gateways know which sites have endpoints, so that the others cost nothing.
create trigger bump_insert after insert on webhook referencing new table as changed for each statement execute function bump_sites();
create trigger bump_update after update on webhook for each row when (old.enabled <> new.enabled) execute function bump_site_of_secret();
create trigger bump_delete after delete on webhook referencing old table as changed for each statement execute function bump_sites();

-- One status of a message, or word of a person, for one endpoint: due until it has arrived or is given up, then the log.
create table webhook_delivery (
  id uuid primary key,                             -- `webhook-id`; carries the time
  webhook_id uuid not null references webhook on delete cascade,
  type text not null,
  site_id uuid not null,
  event_id uuid,
  notification_id uuid,                            -- null: of no message, and `payload` has the content
  phone_hash text,                                 -- whom the payload tells of
  payload text,                                    -- encrypted JSON
  occurred_at timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  due_at timestamptz not null default now(),
  owner uuid,                                      -- the gateway that posts it now
  attempts integer not null default 0,
  failures integer not null default 0,             -- in a row, since it was made or replayed
  last_status_code integer,
  last_error text,                                 -- why the last attempt failed, as a code
  tries jsonb not null default '[]',               -- the last attempts: [{at, ms, statusCode, error}]
  answer text                                      -- encrypted JSON: head and first bytes of the last answer
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create unique index webhook_delivery_once on webhook_delivery (notification_id, type, webhook_id) where notification_id is not null;
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at) where status = 'pending' and owner is null;
create index webhook_delivery_owner on webhook_delivery (owner) where owner is not null;
create index webhook_delivery_log on webhook_delivery (webhook_id, id);
create index webhook_delivery_site on webhook_delivery (site_id, id);
create index webhook_delivery_failed on webhook_delivery (webhook_id, id) where status = 'failed';
create index webhook_delivery_phone on webhook_delivery (phone_hash) where phone_hash is not null;

-- The secret that signs what a site's endpoints are told.
alter table site_secret
  drop constraint site_secret_kind_check,
  add constraint site_secret_kind_check check (kind in ('api_key', 'webhook_secret', 'source_secret', 'rest_key', 'outbound_secret'));
