-- A binding or recipient that moves to another site changes both sites: the one that it leaves must stop using it at once, too.
create function bump_both_sites() returns trigger language plpgsql as $$
begin
  update site set config_version = config_version + 1 where id in (select site_id from changed union select site_id from before);
  return null;
end $$;

drop trigger bump_update on site_recipient;
drop trigger bump_update on binding;
create trigger bump_update after update on site_recipient referencing old table as before new table as changed
  for each statement execute function bump_both_sites();
create trigger bump_update after update on binding referencing old table as before new table as changed
  for each statement execute function bump_both_sites();
