-- When people last changed a saved view; and the account's name shows in the version of its settings, as it is changed with them.
alter table saved_view add column updated_at timestamptz not null default now();
create trigger note_change before update on saved_view for each row
  when ((old.name, old.filter::text) is distinct from (new.name, new.filter::text)) execute function note_change();

create trigger note_name before update of name on account for each row
  when (old.name is distinct from new.name) execute function note_change();
