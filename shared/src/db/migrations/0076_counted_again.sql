-- The hours of the last day at sites of accounts with many messages, counted again and again. Versions before read these messages from the log.
create table notification_recent (
  site_id uuid not null references site on delete cascade,
  -- The times of the messages' ids, which an hour's last count had so far; the end is excluded.
  start timestamptz not null,
  stop timestamptz not null,
  -- What they had become then is what is counted.
  counted_at timestamptz not null,
  -- As in `notification_hour`, and as in `notification_day`.
  hours jsonb not null,
  statuses jsonb not null,
  primary key (site_id, start)
);
