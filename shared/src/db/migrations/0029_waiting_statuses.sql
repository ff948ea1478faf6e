-- Messages that wait for their time, and those that will never leave. Apart from what uses them: PostgreSQL wants new values committed first.
alter type notification_status add value 'scheduled' before 'queued';
alter type notification_status add value 'cancelled' before 'queued';
