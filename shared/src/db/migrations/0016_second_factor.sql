-- What proves a person beside their password: an authenticator app with its recovery codes, and passkeys.

alter table account add column require_second_factor boolean not null default false;

create table totp (
  user_id uuid primary key references app_user on delete cascade,
  secret text,                                     -- sealed; null until the first enrolment is confirmed
  last_step bigint,                                -- of the last code that was taken: this one and earlier ones are refused
  pending text,                                    -- sealed; waits for its first code and replaces `secret` then
  pending_until timestamptz,
  check ((secret is null) = (last_step is null)),
  check ((pending is null) = (pending_until is null))
);

-- Each works once: its row goes with its use.
create table recovery_code (
  user_id uuid not null references app_user on delete cascade,
  code_hash bytea not null,                        -- SHA-256
  primary key (user_id, code_hash)
);

create table passkey (
  id uuid primary key,
  user_id uuid not null references app_user on delete cascade,
  name text not null,
  credential_id text not null unique,              -- base64url, by the authenticator
  public_key bytea not null,                       -- COSE
  counter bigint not null,                         -- of signatures; 0 where the authenticator counts none
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkey_user on passkey (user_id, id);

-- What a person has to answer within minutes, once.
create table challenge (
  hash bytea primary key,                          -- SHA-256
  purpose text not null check (purpose in ('second_factor', 'add_passkey', 'spent')),
  user_id uuid not null references app_user on delete cascade,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index challenge_user on challenge (user_id);
