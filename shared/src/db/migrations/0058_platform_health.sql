-- What the platform said of the account's number when it was last asked, and how many people its messages reached since.
create table platform_health (
  account_id uuid primary key references platform_account (account_id) on delete cascade,
  due_at timestamptz not null default now(),
  owner uuid,
  lease_until timestamptz,
  checked_at timestamptz,
  result json,
  people integer,
  people_at timestamptz,
  -- Until then no marketing message is taken from the queue.
  full_until timestamptz
);
create index platform_health_due on platform_health (due_at);

-- Messages that waited for their time, by that time: those that left today may be made long before.
create index notification_due on notification (site_id, due_at) where due_at is not null;

create function begin_platform_health() returns trigger language plpgsql as $$
begin
  insert into platform_health (account_id, due_at) values (new.account_id, now() + interval '1 minute')
  on conflict (account_id) do update set due_at = excluded.due_at, checked_at = null, result = null, full_until = null;
  return null;
end $$;
create trigger health_new after insert on platform_account for each row execute function begin_platform_health();
create trigger health_changed after update on platform_account for each row
  when ((old.waba_id, old.phone_number_id, old.access_token, old.app_id, old.app_secret) is distinct from
    (new.waba_id, new.phone_number_id, new.access_token, new.app_id, new.app_secret))
  execute function begin_platform_health();

insert into platform_health (account_id, due_at) select account_id, now() + random() * interval '1 day' from platform_account;
