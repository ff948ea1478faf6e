-- Who does not want to be written to, how long things are kept, and who is to be forgotten.

alter table account
  add column has_opt_outs boolean not null default false,  -- kept by the trigger below: gateways look phones up only where there is something to find
  add column payload_days integer not null default 90 check (payload_days between 1 and 3650),
  add column log_days integer not null default 90 check (log_days between 1 and 3650);

-- The last word about a person and a kind of message. An entry that was lifted stays for a while, without the phone: words arrive in any order.
create table opt_out (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  phone_hash text not null,                        -- keyed digest: knows the person again whose number was erased
  phone text,                                      -- E.164; null once erased or lifted
  scope text not null check (scope in ('marketing', 'all')),
  source text not null check (source in ('preference', 'callback', 'refusal', 'operator')),
  code text,                                       -- the platform's error, where that was the word
  active boolean not null,
  since timestamptz not null,                      -- by the platform's clock
  told_at timestamptz not null,                    -- of the last word; an older one changes nothing
  unique (account_id, phone_hash, scope)
);
create index opt_out_active on opt_out (account_id, id) where active;

-- The first entry and the end of the last one change the account, and so its configuration's version: every gateway learns of it with its next event.
create function note_opt_outs() returns trigger language plpgsql as $$
begin
  -- One writer an account: two who do not see each other's rows would leave the flag wrong.
  perform 1 from account where id in (select account_id from changed) order by id for no key update;
  update account a set has_opt_outs = not a.has_opt_outs
  where a.id in (select account_id from changed)
    and a.has_opt_outs <> exists (select from opt_out o where o.account_id = a.id and o.active);
  return null;
end $$;
create trigger note_insert after insert on opt_out referencing new table as changed for each statement execute function note_opt_outs();
create trigger note_update after update on opt_out referencing new table as changed for each statement execute function note_opt_outs();
create trigger note_delete after delete on opt_out referencing old table as changed for each statement execute function note_opt_outs();

-- Work that one server does for all, by the clock: whose turn it is.
create table job_turn (
  name text primary key,
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz                          -- of the owner; over when the owner died
);

-- Requests to forget a person, how far they are, and in the end what they came to.
create table erasure (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  requested_by text not null,                      -- an e-mail address
  requested_at timestamptz not null default now(),
  phone text,                                      -- encrypted; null once everything is done
  phone_hash text not null,
  hint text not null,                              -- what may be shown of the phone
  below uuid not null,                             -- what has a greater id came later and is not concerned
  steps json not null,                             -- what is looked through, in this order: admin-server/src/erasing/steps.ts
  pass integer not null default 0,                 -- first everything, then what was still in use or on its way
  step integer not null default 0,                 -- of this pass, how many are done
  position uuid,                                   -- how far the one under way is; null: at its beginning
  postponed integer not null default 0,            -- rows that this pass had to leave because they are in use
  scanned bigint not null default 0,
  counts json not null default '{}',               -- rows changed or removed, by table
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz,
  finished_at timestamptz
);
create index erasure_account on erasure (account_id, id);
create unique index erasure_open on erasure (account_id, phone_hash) where finished_at is null;

-- People who stopped the account's marketing, as the platform keeps them.
alter table sandbox.account add column stopped text[] not null default '{}';
