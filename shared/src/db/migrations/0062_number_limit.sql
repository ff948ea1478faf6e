-- A pause of a template that nobody told of ends with the platform's next word that the template is approved.
create or replace trigger release_paused after update on template for each row
  when (new.status = 'approved' and (old.status <> 'approved' or new.told_at is distinct from old.told_at)) execute function release_paused();

-- The number's limit is part of the account's configuration, for messages that leave with their events; marketing messages that wait for it are due once
-- there is room again.
create function note_number_limit() returns trigger language plpgsql as $$
begin
  update account set config_version = config_version + 1 where id = new.account_id;
  if new.full_until is null then
    with chosen as materialized (
      select site_id, id from waiting_message where account_id = new.account_id and held_for = 'number_limit' and owner is null order by site_id, id for update
    ),
    due as (
      update waiting_message w set due_at = now(), held_for = null from chosen c where w.site_id = c.site_id and w.id = c.id and w.owner is null
      returning w.account_id, w.phone_hash
    )
    update recipient_turn r set due_at = least(r.due_at, greatest(now(), r.paused_until)) from due d
    where r.account_id = d.account_id and r.phone_hash = d.phone_hash and r.owner is null;
  end if;
  return null;
end $$;
create trigger note_number_limit after update on platform_health for each row
  when (old.full_until is distinct from new.full_until) execute function note_number_limit();
