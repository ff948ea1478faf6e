-- How long a template's messages may take to arrive, in seconds (-1: 30 days; null: the platform's default), and where the template comes from.
alter table template add column ttl_seconds integer;
alter table template add column source text;
