-- What a binding or a template said before: a version for each change of what people set. The newest 50 of an object are kept.
create table object_version (
  object_id uuid not null,
  version integer not null,
  account_id uuid not null references account on delete cascade,
  at timestamptz not null default now(),
  by text,                                         -- who made it; null: the platform, or a program of an earlier version
  content json not null,
  primary key (object_id, version)
);
create index object_version_account on object_version (account_id);

create function keep_version(of_object uuid, of_account uuid, said json, is_template boolean) returns void language plpgsql as $$
declare
  newest object_version;
begin
  select * into newest from object_version where object_id = of_object order by version desc limit 1;
  -- What a condition compares with may be a text that only json can hold.
  if newest.content::text = said::text then return; end if;
  -- The platform's own place of a header's file changes by itself.
  if is_template then
    if newest.content::jsonb #- '{definition,header,file,mediaId}' = said::jsonb #- '{definition,header,file,mediaId}' then return; end if;
  end if;
  insert into object_version (object_id, version, account_id, by, content)
  values (of_object, coalesce(newest.version, 0) + 1, of_account, nullif(current_setting('tidings.actor', true), ''), said);
  delete from object_version where object_id = of_object and version <= newest.version - 49;
end $$;

create function keep_binding_version() returns trigger language plpgsql as $$
begin
  perform keep_version(new.id, (select account_id from site where id = new.site_id), json_build_object('event', new.event, 'template_id', new.template_id,
    'recipient', new.recipient, 'variable_map', new.variable_map, 'conditions', new.conditions, 'schedule', new.schedule, 'enabled', new.enabled), false);
  return null;
end $$;
create function keep_template_version() returns trigger language plpgsql as $$
begin
  perform keep_version(new.id, new.account_id, json_build_object('name', new.name, 'language', new.language,
    'category', coalesce(new.requested_category, new.category), 'definition', new.definition), true);
  return null;
end $$;
create function drop_versions() returns trigger language plpgsql as $$
begin
  delete from object_version where object_id = old.id;
  return null;
end $$;

create trigger keep_version after insert or update on binding for each row execute function keep_binding_version();
create trigger keep_insert after insert on template for each row execute function keep_template_version();
create trigger keep_update after update on template for each row
  when ((old.name, old.language, old.requested_category, old.definition::text) is distinct from (new.name, new.language, new.requested_category, new.definition::text))
  execute function keep_template_version();
create trigger drop_versions after delete on binding for each row execute function drop_versions();
create trigger drop_versions after delete on template for each row execute function drop_versions();

insert into object_version (object_id, version, account_id, at, content)
  select b.id, 1, s.account_id, b.updated_at, json_build_object('event', b.event, 'template_id', b.template_id,
    'recipient', b.recipient, 'variable_map', b.variable_map, 'conditions', b.conditions, 'schedule', b.schedule, 'enabled', b.enabled)
  from binding b join site s on s.id = b.site_id;
insert into object_version (object_id, version, account_id, at, content)
  select id, 1, account_id, updated_at, json_build_object('name', name, 'language', language,
    'category', coalesce(requested_category, category), 'definition', definition) from template;
