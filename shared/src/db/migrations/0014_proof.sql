-- When a session last proved who holds it, and what an access token may do.
alter table user_session add column proven_at timestamptz not null default now();  -- a sign-in counts as a proof
update user_session set proven_at = created_at;

alter table access_token add column scopes text[];   -- null: all that its role may
