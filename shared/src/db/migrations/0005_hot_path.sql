-- What an event's way through the gateway writes, made cheap.

-- The payload lies beside its event: finishing an event rewrites a narrow row, lists read narrow rows, and payloads can be forgotten before the log.
create table event_payload (
  id uuid not null,                                -- the event's
  site_id uuid not null,
  payload text not null,                           -- exactly as received; json and jsonb refuse what customers may send
  primary key (site_id, id)
) partition by range (id);
create table event_payload_default partition of event_payload default;

do $$
declare
  week text;
begin
  for week in select substr(relid::text, 7) from pg_partition_tree('event') where isleaf and relid::text like 'event\_2%' loop
    perform make_week_partition('event_payload', to_date(week, 'IYYY"w"IW')::timestamptz);
  end loop;
end $$;
insert into event_payload (id, site_id, payload) select id, site_id, payload from event;
alter table event drop column payload;

-- An order's id follows from what it is, so that an event can name its order without asking for it first: 16 bytes of
-- SHA-256(site id as text, SHA-256("id:" or "number:" and the value)), dressed as a UUID of version 8.
create function order_id(site uuid, reference_hash bytea) returns uuid language sql immutable as $$
  select (substr(digest, 1, 12) || '8' || substr(digest, 14, 3) || '8' || substr(digest, 18, 15))::uuid
  from encode(sha256(convert_to(site::text, 'UTF8') || reference_hash), 'hex') as digest
$$;
update event e set order_id = order_id(o.site_id, o.reference_hash) from customer_order o where o.site_id = e.site_id and o.id = e.order_id;
update customer_order set id = order_id(site_id, reference_hash);
drop function order_id;

drop index customer_order_id;
alter table customer_order drop constraint customer_order_pkey;
alter table customer_order drop column reference_hash;
alter table customer_order add primary key (site_id, id);
-- Every event of an order updates its row: room for the new version on the same page spares the index.
alter table customer_order set (fillfactor = 70);
