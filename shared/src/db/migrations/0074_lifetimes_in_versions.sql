-- A template's lifetime of messages is part of what its versions say. The newest version of each says it at once, so that only a change makes another.
create or replace function keep_template_version() returns trigger language plpgsql as $$
begin
  perform keep_version(new.id, new.account_id, json_build_object('name', new.name, 'language', new.language,
    'category', coalesce(new.requested_category, new.category), 'definition', new.definition, 'ttl_seconds', new.ttl_seconds), true);
  return null;
end $$;

create trigger keep_lifetime after update on template for each row
  when (old.ttl_seconds is distinct from new.ttl_seconds)
  execute function keep_template_version();

update object_version v
set content = (left(v.content::text, length(v.content::text) - 1) || ', "ttl_seconds" : ' || coalesce(t.ttl_seconds::text, 'null') || '}')::json
from template t
where v.object_id = t.id and v.version = (select max(version) from object_version where object_id = t.id);
