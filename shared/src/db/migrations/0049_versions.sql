-- The time of the last change of what people set is the version by which a form notices that somebody else has changed the same: never the same twice, and to
-- the millisecond, as answers tell it. Triggers write it; a statement asks for it with `updated_at = now()`, or need not. What programs note by themselves
-- (a first post, a stopped account, a new key of the vault) is no change.

alter table account add column updated_at timestamptz not null default now();
alter table site add column updated_at timestamptz not null default now();
-- The epoch: nobody has set anything yet.
alter table alert_watch add column updated_at timestamptz not null default 'epoch';

create function note_change() returns trigger language plpgsql as $$
begin
  new.updated_at := date_trunc('milliseconds', greatest(now(), old.updated_at + interval '1 millisecond'));
  return new;
end $$;

create trigger note_change before update on binding for each row
  when (new.updated_at = now()) execute function note_change();
create trigger note_change before update on template for each row
  when (new.updated_at = now()) execute function note_change();
create trigger note_change before update on assistant for each row
  when (new.updated_at = now()) execute function note_change();

create trigger note_change before update on account for each row when (
  (old.timezone, old.payload_days, old.log_days, old.require_second_factor, old.require_sso, old.dashboard_addresses, old.token_addresses,
    old.encrypt_payloads, old.messages_per_second, old.retry_hours, old.stop_words, old.start_words, old.opt_out_scope)
  is distinct from
  (new.timezone, new.payload_days, new.log_days, new.require_second_factor, new.require_sso, new.dashboard_addresses, new.token_addresses,
    new.encrypt_payloads, new.messages_per_second, new.retry_hours, new.stop_words, new.start_words, new.opt_out_scope)
  or new.updated_at = now()
) execute function note_change();

create trigger note_change before update on site for each row when (
  (old.name, old.url, old.source_type, old.enabled, old.test_phone, old.require_timestamp, old.require_signed_timestamp,
    old.rate_limit_per_second, old.idempotency_hours, old.hold_messages, old.country, old.topic_map, old.normalize_phones)
  is distinct from
  (new.name, new.url, new.source_type, new.enabled, new.test_phone, new.require_timestamp, new.require_signed_timestamp,
    new.rate_limit_per_second, new.idempotency_hours, new.hold_messages, new.country, new.topic_map, new.normalize_phones)
  or new.updated_at = now()
) execute function note_change();

create trigger note_change before update on alert_watch for each row when (
  (old.conditions::text, old.quiet_hours::text, old.urgent_always) is distinct from (new.conditions::text, new.quiet_hours::text, new.urgent_always)
) execute function note_change();

-- The platform's credentials are settings of the account; the secrets of a shop are settings of its site. Both show in the version of what they belong to.
create function note_change_of_account() returns trigger language plpgsql as $$
begin
  update account set updated_at = now() where id = coalesce(new.account_id, old.account_id);
  return null;
end $$;
create trigger note_change after insert or delete or update of updated_at on platform_account for each row execute function note_change_of_account();

create function note_change_of_site() returns trigger language plpgsql as $$
begin
  update site set updated_at = now() where id = coalesce(new.site_id, old.site_id);
  return null;
end $$;
create trigger note_insert after insert on site_secret for each row
  when (new.kind in ('source_secret', 'rest_key')) execute function note_change_of_site();
create trigger note_delete after delete on site_secret for each row
  when (old.kind in ('source_secret', 'rest_key') and old.expires_at is null) execute function note_change_of_site();
create trigger note_update after update on site_secret for each row
  when (new.kind in ('source_secret', 'rest_key') and old.expires_at is distinct from new.expires_at) execute function note_change_of_site();

-- An order is found by its number too. The number's hash is indexed, as a number may have any length.
create index customer_order_number on customer_order (site_id, hashtextextended(number, 0)) where number is not null;
