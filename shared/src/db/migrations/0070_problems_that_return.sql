-- Since when a problem lasted that a person has resolved: its beginning if it is found again soon.
alter table problem add column began_at timestamptz;
