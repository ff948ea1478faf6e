-- Personal values of the audit come with the entry whose digest covers them, in one statement, and never otherwise: none can be planted that would make a chain
-- look broken. Whoever adds an entry waits for another's hold on the account no longer than 5 seconds.

create function audit_value_fits(entry audit_entry) returns boolean language sql stable set search_path = public, pg_temp as $$
  select exists (
    select from audit_value v
    where v.entry_id = entry.id and v.account_id = entry.account_id and sha256(v.salt || convert_to(v.content::text, 'UTF8')) = entry.values_digest)
$$;

create function require_audit_value() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if not audit_value_fits(new) then
    raise check_violation using message = 'an entry of the audit comes with the values that its digest covers';
  end if;
  return null;
end $$;

create function require_audit_entry() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if not exists (select from audit_entry e where e.id = new.entry_id and audit_value_fits(e)) then
    raise check_violation using message = 'values of the audit come with the entry whose digest covers them';
  end if;
  return null;
end $$;

create trigger has_value after insert on audit_entry for each row when (new.values_digest is not null) execute function require_audit_value();
create trigger has_entry after insert on audit_value for each row execute function require_audit_entry();

alter function chain_audit_entry() set lock_timeout = '5s';
