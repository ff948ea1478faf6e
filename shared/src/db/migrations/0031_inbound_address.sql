-- A shop posts by itself to an address of its site: what signs its requests, what its topics mean, and how the phones in them are read.

alter table site
  -- Stands in the address and proves nothing, so that operators may read it again.
  add column inbound_token text not null default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  add column connected_at timestamptz,             -- of the first ping or event of the shop
  add column country text check (country ~ '^[A-Z]{2}$'),
  add column topic_map jsonb not null default '{}', -- the operator's own events of topics; null: none
  -- Whether phones are made E.164: nowhere, in what the shop posts by itself, or everywhere.
  add column normalize_phones text not null default 'off' check (normalize_phones in ('off', 'shop', 'all'));
create unique index site_inbound_token on site (inbound_token);

-- The secret that a shop system signs with, which the operator pastes, is replaced and overlaps as webhook secrets do.
alter table site_secret
  drop constraint site_secret_kind_check,
  drop constraint site_secret_check1,
  add constraint site_secret_kind_check check (kind in ('api_key', 'webhook_secret', 'source_secret')),
  add constraint site_secret_check1 check ((secret is not null) = (kind in ('webhook_secret', 'source_secret')));

-- The topics that a shop has posted, of which those without an event leave nothing else behind.
create table site_topic (
  site_id uuid not null references site on delete cascade,
  topic text not null check (length(topic) <= 200),
  last_seen_at timestamptz not null,
  primary key (site_id, topic)
);
