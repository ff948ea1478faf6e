-- WhatsApp as it is in 2026: refusals that end, people without a visible phone, an account's restrictions, prices.

-- Since when the platform holds an accepted message back to judge its template; what the message costs, `at` the time of the statement that learnt it; the
-- last attempt that the platform took and then refused for a while: late reports on it count no more.
alter table notification add column held_at timestamptz;
alter table notification add column pricing jsonb;
alter table notification add column refused_attempt smallint;

-- The platform's code for which a message waits.
alter table waiting_message add column held_for text;
create index waiting_message_held on waiting_message (account_id, held_for) where held_for is not null;

-- Whether messages whose event is answered are tried again later.
alter table site add column retry_after_answer boolean not null default true;
create or replace trigger note_change before update on site for each row
  when ((old.name, old.url, old.source_type, old.enabled, old.test_phone, old.require_timestamp, old.require_signed_timestamp, old.rate_limit_per_second,
      old.idempotency_hours, old.hold_messages, old.country, old.topic_map, old.normalize_phones, old.retry_after_answer)
    is distinct from (new.name, new.url, new.source_type, new.enabled, new.test_phone, new.require_timestamp, new.require_signed_timestamp,
      new.rate_limit_per_second, new.idempotency_hours, new.hold_messages, new.country, new.topic_map, new.normalize_phones, new.retry_after_answer)
    or new.updated_at = now())
  execute function note_change();

-- Sends without a sensible answer.
alter table send_count add column unanswered integer not null default 0;

alter table platform_account add column marketing_route text not null default 'messages' check (marketing_route in ('messages', 'marketing_messages'));
-- Whether a stopped account's messages wait, and until when it is stopped, if the platform says so; its last news, which it repeats.
alter table platform_account add column stop_waits boolean not null default false;
alter table platform_account add column stopped_until timestamptz;
alter table platform_account add column told_at timestamptz;
alter table platform_account add column told_event text;
-- The number that the platform limits as possible spam: one of its messages is tried from time to time.
alter table platform_account add column limited_number text;
alter table platform_account add column limited_probe_after timestamptz;

-- The category that the platform has announced, its time null where only the list tells of it; the last change of an approved template's category.
alter table template add column upcoming_category text;
alter table template add column upcoming_at timestamptz;
alter table template add column former_category text;
alter table template add column category_at timestamptz;

-- A person whose phone is hidden: `phone_hash` is then the digest of the user id, which stands here, encrypted.
alter table opt_out add column user_id text;

-- The platform's id for a person, and the person's phone, as keyed digests. The message shows the phone as long as the log has it.
create table platform_user (
  account_id uuid not null references account on delete cascade,
  user_hash text not null,
  phone_hash text not null,
  site_id uuid,
  message_id uuid,
  seen_at timestamptz not null default now(),
  primary key (account_id, user_hash)
);
create index platform_user_phone on platform_user (account_id, phone_hash);
create index platform_user_seen on platform_user (seen_at);

-- What the platform tells of the account, in its own words; the newest of each subject.
create table platform_notice (
  account_id uuid not null references account on delete cascade,
  subject text not null,
  words text not null,
  until timestamptz,
  told_at timestamptz not null,
  primary key (account_id, subject)
);

-- Messages by what they cost, each counted once, on the day on which it was made.
create table notification_price (
  site_id uuid not null references site on delete cascade,
  day date not null,
  country text not null,
  category text not null,
  billable integer not null,
  free integer not null,
  primary key (site_id, day, country, category)
);

-- Messages that wait for a paused template are due once it is approved again, whoever learns of it.
create function release_paused() returns trigger language plpgsql as $$
begin
  with chosen as materialized (
    select w.site_id, w.id from waiting_message w
    where w.account_id = new.account_id and w.held_for = '132015' and w.owner is null
      and exists (select from notification n where n.site_id = w.site_id and n.id = w.id and n.template_id = new.id)
    order by w.site_id, w.id for update of w
  ),
  due as (
    update waiting_message w set due_at = now(), held_for = null from chosen c where w.site_id = c.site_id and w.id = c.id and w.owner is null
    returning w.account_id, w.phone_hash
  )
  update recipient_turn r set due_at = least(r.due_at, greatest(now(), r.paused_until)) from due d
  where r.account_id = d.account_id and r.phone_hash = d.phone_hash and r.owner is null;
  return null;
end $$;
create trigger release_paused after update on template for each row
  when (new.status = 'approved' and old.status <> 'approved') execute function release_paused();
