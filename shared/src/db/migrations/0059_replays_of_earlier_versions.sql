-- A replay that a program of an earlier version asks for is an operation too. The event has nobody's name beside it there.
create function make_replay() returns trigger language plpgsql as $$
begin
  insert into operation (id, account_id, kind, created_by, created_at, site_id, subject_id, total, asked_at)
  values (new.id, new.account_id, 'replay', '', now(), new.site_id, new.replay_of, 1, now());
  update requested_event set operation_id = new.id where id = new.id;
  return null;
end $$;
create trigger make_replay after insert on requested_event for each row when (new.kind = 'replay' and new.operation_id is null) execute function make_replay();
