-- An installation may be one of several behind one address (a cell), and accounts move between them. `cells`: those whose addresses an account has had.
alter table account add column cells text[] not null default '{}' check (cardinality(cells) <= 100);

-- An account that leaves for another installation, has left, or arrives from one. While it leaves, the row is held by the process that moves it, which has a
-- row in `gateway` as everybody has who owns work: once that lease has ended, the account goes on here.
create table account_move (
  account_id uuid primary key references account(id) on delete cascade,
  state text not null check (state in ('leaving', 'left', 'arriving')),
  owner uuid not null,
  since timestamptz not null default now()
);

-- Values of the audit that were emptied where the account was before arrive without their content.
create or replace function require_audit_value() returns trigger language plpgsql set search_path to 'public', 'pg_temp' as $$
begin
  if not audit_value_fits(new) and not exists (
    select from audit_value v join account_move m on m.account_id = v.account_id and m.state = 'arriving'
    where v.entry_id = new.id and v.account_id = new.account_id and v.emptied_at is not null) then
    raise check_violation using message = 'an entry of the audit comes with the values that its digest covers';
  end if;
  return null;
end $$;
create or replace function require_audit_entry() returns trigger language plpgsql set search_path to 'public', 'pg_temp' as $$
begin
  if not exists (select from audit_entry e where e.id = new.entry_id and (audit_value_fits(e) or (new.emptied_at is not null and exists (
    select from account_move m where m.account_id = new.account_id and m.state = 'arriving')))) then
    raise check_violation using message = 'values of the audit come with the entry whose digest covers them';
  end if;
  return null;
end $$;

-- Whatever people change leaves an entry in the audit, in the transaction of the change: so nothing changes in an account that leaves or has left.
create or replace function chain_audit_entry() returns trigger language plpgsql security definer
  set search_path to 'public', 'pg_temp' set lock_timeout to '5s' as $$
declare
  last record;
begin
  perform from account where id = new.account_id for no key update;
  if exists (select from account_move where account_id = new.account_id and state <> 'arriving') then
    raise exception using errcode = 'MV503', message = 'the account moves to another installation';
  end if;
  select seq, hash into last from audit_entry where account_id = new.account_id order by seq desc limit 1;
  new.seq := coalesce(last.seq, 0) + 1;
  new.previous := coalesce(last.hash, '');
  new.hash := audit_hash(new);
  return new;
end $$;
