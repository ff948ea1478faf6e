-- Orders that a shop did not post are fetched from it now and then, where an operator has entered a key of its REST API.

alter table site_secret
  drop constraint site_secret_kind_check,
  drop constraint site_secret_check1,
  add constraint site_secret_kind_check check (kind in ('api_key', 'webhook_secret', 'source_secret', 'rest_key')),
  add constraint site_secret_check1 check ((secret is not null) = (kind <> 'api_key'));

create table reconcile (
  site_id uuid primary key references site on delete cascade,
  key_id uuid not null references site_secret on delete cascade,
  url text not null,                       -- the site's when the key was entered: the key goes to no other
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz,
  last_at timestamptz,                     -- the end of the last run
  taken integer not null default 0,        -- orders that came in by it
  problem jsonb,                           -- a reason; null when the run was whole
  problem_since timestamptz
);
create index reconcile_due on reconcile (due_at);
