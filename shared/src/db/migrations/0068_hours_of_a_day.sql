-- How many hours of the day behind the counted ones are counted too, in which time zone. Versions before read that day from the log, and delete what is counted of it.
alter table notification_count add column part_day date, add column part_timezone text, add column part_hours integer not null default 0;
