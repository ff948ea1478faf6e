-- A message that was sent again counts once, as its newest attempt. Versions before counted each attempt, and one that still runs does: what they count has
-- the default and is counted again.
alter table notification_day add column once boolean not null default false;
create index notification_day_again on notification_day (site_id, day) where not once;
