-- Messages of counted days by hour, binding and template: how far they came, and how long that took.
create table notification_hour (
  site_id uuid not null references site on delete cascade,
  day date not null,
  -- From 0, in the time zone of the counts.
  hour smallint not null,
  binding_id uuid not null,
  template text not null,
  total integer not null,
  -- At least so far.
  sent integer not null,
  delivered integer not null,
  read integer not null,
  failed integer not null,
  -- How many took so long from their event on, by steps of time (`latencyStep`).
  sent_in jsonb not null,
  delivered_in jsonb not null,
  primary key (site_id, day, hour, binding_id, template)
);

-- Days that were counted before are counted again.
update notification_count set counted_to = '-infinity';
