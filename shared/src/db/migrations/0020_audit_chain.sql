-- The audit of an account is a chain: each entry carries its number, the hash of the entry before it, and its own hash over everything in it. A trigger chains
-- whatever is inserted, so that no program can forget to, and two at the same moment never fork a chain: the account's row is locked until the commit.

-- What an entry tells of a person: emptied when the person is erased. The chain holds only a digest of it, which says nothing without the salt.
create table audit_value (
  entry_id uuid primary key,
  account_id uuid not null references account on delete cascade,
  salt bytea,
  content json,                                    -- {member: {before?, after?}, …}; null once emptied
  emptied_at timestamptz,
  check ((salt is null) = (content is null) and (content is null) = (emptied_at is not null))
);
create index audit_value_account on audit_value (account_id) where content is not null;

-- The last entry of each account, by which a chain that lost its end is recognized.
create table audit_head (
  account_id uuid primary key references account on delete cascade,
  seq bigint not null,
  hash bytea not null
);

alter table audit_entry
  add column seq bigint,                           -- 1, 2, … of the account
  add column changes json,                         -- [{member, before?, after?} | {member, secret | personal: true}, …]
  add column values_digest bytea,                  -- SHA-256 of salt and content in audit_value
  add column previous bytea,                       -- the hash of the entry before; of the first: empty
  add column hash bytea;

-- A value by its length, so that no two entries have the same encoding.
create function audit_field(value text) returns text language sql immutable parallel safe as $$
  select case when value is null then '-' else octet_length(value) || ':' || value end || E'\n'
$$;

create function audit_hash(e audit_entry) returns bytea language sql stable parallel safe set search_path = public, pg_temp as $$
  select sha256(convert_to('tidings audit 1' || E'\n'
    || audit_field(e.account_id::text) || audit_field(e.seq::text) || audit_field(encode(e.previous, 'hex')) || audit_field(e.id::text)
    || audit_field(floor(extract(epoch from e.created_at) * 1000000)::bigint::text)
    || audit_field(e.actor) || audit_field(e.actor_id::text) || audit_field(e.token_id::text) || audit_field(e.action) || audit_field(e.subject)
    || audit_field(e.address) || audit_field(e.changes::text) || audit_field(encode(e.values_digest, 'hex')), 'UTF8'))
$$;

create function chain_audit_entry() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last record;
begin
  perform from account where id = new.account_id for no key update;
  select seq, hash into last from audit_entry where account_id = new.account_id order by seq desc limit 1;
  new.seq := coalesce(last.seq, 0) + 1;
  new.previous := coalesce(last.hash, '');
  new.hash := audit_hash(new);
  return new;
end $$;

create function note_audit_head() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_head (account_id, seq, hash)
    select distinct on (account_id) account_id, seq, hash from added order by account_id, seq desc
    on conflict (account_id) do update set seq = excluded.seq, hash = excluded.hash where audit_head.seq < excluded.seq;
  return null;
end $$;

-- Empties what entries tell of a person: the only change that there is to the audit.
create function empty_audit_values(account uuid, entries uuid[]) returns bigint language sql security definer set search_path = public, pg_temp as $$
  with emptied as (
    update audit_value set salt = null, content = null, emptied_at = now()
    where account_id = account and entry_id = any(entries) and content is not null returning 1)
  select count(*) from emptied
$$;

-- The ids of the sandbox's messages hold phones; erasing a person emptied them in place, which a chain does not allow.
insert into audit_value (entry_id, account_id, salt, content)
  select id, account_id, uuid_send(gen_random_uuid()), json_build_object('subject', json_build_object('after', subject))
  from audit_entry where action = 'sandbox.markRead' and subject is not null and subject <> 'erased';
update audit_entry e set subject = null, values_digest = sha256(v.salt || convert_to(v.content::text, 'UTF8')), changes = '[]'
  from audit_value v where v.entry_id = e.id;

-- Chains the entries that there are, in the order of their ids.
do $$
declare
  e audit_entry;
  of_account uuid;
  last_seq bigint;
  last_hash bytea;
begin
  for e in select * from audit_entry order by account_id, id loop
    if of_account is distinct from e.account_id then
      of_account := e.account_id;
      last_seq := 0;
      last_hash := '';
    end if;
    e.seq := last_seq + 1;
    e.previous := last_hash;
    e.hash := audit_hash(e);
    update audit_entry set seq = e.seq, previous = e.previous, hash = e.hash where id = e.id;
    last_seq := e.seq;
    last_hash := e.hash;
  end loop;
end $$;
insert into audit_head (account_id, seq, hash)
  select distinct on (account_id) account_id, seq, hash from audit_entry order by account_id, seq desc;

alter table audit_entry alter column seq set not null, alter column previous set not null, alter column hash set not null;
create unique index audit_entry_seq on audit_entry (account_id, seq);
create trigger chain before insert on audit_entry for each row execute function chain_audit_entry();
create trigger note_head after insert on audit_entry referencing new table as added for each statement execute function note_audit_head();
revoke all on function empty_audit_values(uuid, uuid[]) from public;
