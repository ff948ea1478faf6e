-- How long an idempotency key of a site counts on its own path; null: five minutes.

alter table site add column idempotency_hours integer check (idempotency_hours between 1 and 168);
