-- What the events that a site receives look like, learned from stored events long after they were answered.

create table event_kind (
  site_id uuid not null references site on delete cascade,
  name text not null,
  last_event_id uuid not null,
  fields json not null default '[]',               -- shared/core/fields/merge-fields.ts
  primary key (site_id, name)
);
create index event_kind_last on event_kind (site_id, last_event_id);

-- How far a site's events are learned. Ids are made before events are committed, by several clocks, so an id below one that was read may still come:
-- up to `fresh` the site was read once, soon after; up to `settled` once more, when nothing older could come any longer. Locked by whoever learns.
create table event_learning (
  site_id uuid primary key references site on delete cascade,
  fresh uuid not null default '00000000-0000-0000-0000-000000000000',
  settled uuid not null default '00000000-0000-0000-0000-000000000000',
  learned_at timestamptz                           -- null: there is more to read at once
);
