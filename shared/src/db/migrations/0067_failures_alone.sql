-- What a look for problems and a count of error codes read of failed and cancelled messages, without the log itself. Messages that arrive have no entry, and no column of
-- it changes while they do.
create index notification_failures on notification (site_id, id) include (error_code, failed_at, template_id, binding_id, resent_as, test) where error_code is not null;
drop index notification_failed;
-- Messages and events of tests, and dry runs, are seldom among the others.
create index notification_test on notification (site_id, id) where test;
create index event_test on event (site_id, id) where test;
create index event_dry_run on event (site_id, id) where dry_run;
