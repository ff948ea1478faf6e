-- A weekly partition gives everybody what its table gives: whoever may read a table may read a week of it by the week's own name.

create function give_rights_of_parent(part regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  given record;
begin
  for given in
    select a.privilege_type as what, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as whom
    from pg_inherits i join pg_class c on c.oid = i.inhparent cross join aclexplode(c.relacl) a
    where i.inhrelid = part and a.grantee <> c.relowner
  loop
    execute format('grant %s on %s to %s', given.what, part, given.whom);
  end loop;
end $$;
revoke all on function give_rights_of_parent(regclass) from public;

create or replace function make_week_partition(parent text, at timestamptz) returns void language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  -- Room for the second version of each row.
  room text := case when parent in ('event', 'notification') then 'with (fillfactor = 50)' else '' end;
begin
  if parent not in ('event', 'event_payload', 'notification', 'event_search') then
    raise exception '% has no weekly partitions', parent;
  end if;
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent, uuid_at(week), uuid_at(week + interval '7 days'), room);
    perform give_rights_of_parent(name::regclass);
  end if;
end $$;

do $$
declare
  part regclass;
begin
  for part in
    select c.oid from pg_class c where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace in ('public'::regnamespace, 'sandbox'::regnamespace)
      and c.relowner = (select oid from pg_roles where rolname = current_user)
  loop
    perform give_rights_of_parent(part);
  end loop;
end $$;
