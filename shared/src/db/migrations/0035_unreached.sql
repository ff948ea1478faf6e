-- Why a message of a live event has no recipient, as `core/unreached` writes it; null where each has one. It is written with the event and never changed:
-- an index on it leaves updates of the event's outcome as cheap as they are, and holds the few events that have it.

alter table event add column unreached text;
create index event_unreached on event (site_id, id) where unreached is not null;
