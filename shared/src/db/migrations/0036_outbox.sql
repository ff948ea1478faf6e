-- What a server tells people by itself. It leaves after the call that asked for it, so that neither a slow mail server nor a crash takes anything from the call.

create table outbox (
  id uuid primary key,                             -- names the message where it arrives: one that is sent again has the same; carries the time
  account_id uuid references account on delete cascade,  -- null: nobody knows yet whose it is
  kind text not null,
  to_hash text,                                    -- keyed digest of the address
  content text,                                    -- encrypted JSON; null once it has left, or is given up
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz,
  failures integer not null default 0,
  last_status_code integer,
  last_error text,                                 -- why the last attempt failed, as a code
  expires_at timestamptz not null,                 -- of no worth after that
  check ((content is null) = (status <> 'pending'))
);
create index outbox_due on outbox (due_at) where status = 'pending';
create index outbox_to on outbox (to_hash, id) where to_hash is not null;
create index outbox_account on outbox (account_id, id);

-- Links that people ask for by mail stand beside those that an owner makes: neither ends the other.
alter table password_reset
  add column by_mail boolean not null default false,
  drop constraint password_reset_pkey,
  drop constraint password_reset_token_hash_key,
  add constraint password_reset_pkey primary key (token_hash);
create unique index password_reset_of_owner on password_reset (user_id) where not by_mail;
create index password_reset_user on password_reset (user_id);
create index password_reset_maker on password_reset (created_by, account_id);
