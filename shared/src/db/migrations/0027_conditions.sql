-- When a binding fires: null for always.
alter table binding add column conditions json;

-- When bindings with conditions last fired, and when they were last held back, by live events. Within an hour: gateways note it in the background.
create table binding_use (
  binding_id uuid primary key references binding on delete cascade,
  fired_at timestamptz,
  held_at timestamptz
);
