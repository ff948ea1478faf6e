-- Failed and cancelled messages by their code, newest first: one code may be seldom among many others. Messages that arrive have no entry.
create index notification_code on notification (site_id, error_code, id) where error_code is not null;
