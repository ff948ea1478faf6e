-- Messages that were made some seconds after their event or later, such as resends: a search for events finds the others by the time of the event.
create index notification_made_late on notification (site_id, id) where left(id::text, 10) <> left(event_id::text, 10);
