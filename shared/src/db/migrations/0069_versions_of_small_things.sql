-- When people last changed an endpoint, a channel of alerts or a recipient.
alter table webhook add column updated_at timestamptz not null default now();
create trigger note_change before update on webhook for each row
  when ((old.url, old.types, old.enabled) is distinct from (new.url, new.types, new.enabled)) execute function note_change();

alter table alert_channel add column updated_at timestamptz not null default now();
create trigger note_change before update on alert_channel for each row
  when ((old.name, old.kinds, old.enabled) is distinct from (new.name, new.kinds, new.enabled)) execute function note_change();

alter table site_recipient add column updated_at timestamptz not null default now();
create trigger note_change before update on site_recipient for each row
  when ((old.site_id, old.phone, old.label, old.active) is distinct from (new.site_id, new.phone, new.label, new.active)) execute function note_change();
