-- What a look for problems and a count of error codes read of failed and cancelled messages, without the log itself. Messages that arrive have no entry, and no column of
-- it changes while they do.
create index notification_failures on notification (site_id, id) include (error_code, failed_at, template_id, binding_id, resent_as, test) where error_code is not null;
drop index notification_failed;
-- Messages and events of tests, and dry runs, are seldom among the others.
create index notification_test on notification (site_id, id) where test;
create index event_test on event (site_id, id) where test;
create index event_dry_run on event (site_id, id) where dry_run;
-- Statistics ask for the time of every message that is not counted yet.
create or replace function uuid_time(id uuid) returns timestamptz language sql immutable strict parallel safe as $$
  select to_timestamp(('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint / 1000::double precision)
$$;
