-- Who signs in, from where, and what they did; the keys and secrets of sites, of which several may count at a time.

alter table user_session
  add column handle uuid,                          -- how its owner names it; the id would give the token's digest away
  add column address text,                         -- of the last use, like the time; null when made before this was kept
  add column user_agent text,
  add column last_used_at timestamptz not null default now();
update user_session set last_used_at = created_at,
  handle = (left(uuid_at(created_at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid;
alter table user_session alter column handle set not null;
drop index user_session_user;
create unique index user_session_user on user_session (user_id, handle);

create index invite_account on invite (account_id, id);

-- A link by which somebody sets a new password. One a user: a new link ends the one before.
create table password_reset (
  user_id uuid primary key references app_user on delete cascade,
  created_by uuid not null references app_user on delete cascade,
  token_hash bytea not null unique,                -- SHA-256
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

-- The actor's name alone does not outlive a change of it, and a token's is not the actor's.
alter table audit_entry
  add column actor_id uuid,                        -- the user; null for a command. No reference: the entry outlives the user
  add column token_id uuid;                        -- the access token that they came with
update audit_entry set actor = regexp_replace(actor, ' \(token [0-9a-f-]{36}\)$', ''), token_id = substring(actor from '\(token ([0-9a-f-]{36})\)$')::uuid
  where actor ~ ' \(token [0-9a-f-]{36}\)$';
create index audit_entry_actor on audit_entry (account_id, lower(actor), id);
create index audit_entry_action on audit_entry (account_id, action, id);

-- What a site's events are signed with and known by. Rotated ones count until they expire, so that a backend can change over without a gap.
create table site_secret (
  id uuid primary key,
  site_id uuid not null references site on delete cascade,
  kind text not null check (kind in ('api_key', 'webhook_secret')),
  key_hash bytea check ((key_hash is not null) = (kind = 'api_key')),      -- SHA-256 of the API key; the key itself carries the site's id
  secret text check ((secret is not null) = (kind = 'webhook_secret')),    -- encrypted
  hint text not null,                              -- what is shown of it
  expires_at timestamptz,                          -- null: the current one
  last_used_at timestamptz,                        -- written by gateways now and then, and must not bump the configuration
  created_at timestamptz not null default now()
);
create unique index site_secret_current on site_secret (site_id, kind) where expires_at is null;
create index site_secret_site on site_secret (site_id);

insert into site_secret (id, site_id, kind, key_hash, hint, created_at)
  select gen_random_uuid(), id, 'api_key', key_hash, key_hint, created_at from site where deleted_at is null;
insert into site_secret (id, site_id, kind, secret, hint, created_at)
  select gen_random_uuid(), id, 'webhook_secret', webhook_secret, 'whs_…', created_at from site where deleted_at is null;
alter table site drop column key_hash, drop column key_hint, drop column webhook_secret;

create function bump_site_of_secret() returns trigger language plpgsql as $$
begin
  update site set config_version = config_version + 1 where id = coalesce(new.site_id, old.site_id);
  return null;
end $$;
create trigger bump_insert after insert on site_secret for each row execute function bump_site_of_secret();
-- One that has ended is ended in every cache: taking it away must not wait for its site.
create trigger bump_delete after delete on site_secret for each row
  when (old.expires_at is null or old.expires_at > now()) execute function bump_site_of_secret();
create trigger bump_update after update on site_secret for each row
  when ((old.key_hash, old.secret, old.expires_at) is distinct from (new.key_hash, new.secret, new.expires_at)) execute function bump_site_of_secret();
