-- When a binding's messages leave: null for at once.
alter table binding add column schedule jsonb;
