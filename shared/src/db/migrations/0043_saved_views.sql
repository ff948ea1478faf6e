-- Filters of the dashboard's lists that people keep under a name, for everybody in the account. None holds a text to search by, a phone, or the id of an order or
-- event.
create table saved_view (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  list text not null check (list in ('log', 'events', 'scheduled', 'bindings', 'statistics')),
  name text not null,
  filter json not null check (octet_length(filter::text) <= 8192),
  created_by uuid references app_user on delete set null,
  created_at timestamptz not null default now()
);
create unique index saved_view_name on saved_view (account_id, list, lower(name));
create index saved_view_creator on saved_view (created_by);
