-- What waits and may have been sent: of it, the platform's report drops what has arrived. Nearly always there is none.
create index waiting_message_in_doubt on waiting_message (site_id, id) where doubts > 0;
