-- A site may demand that its timestamps are signed, as Standard Webhooks sign them: a recorded request can then be repeated for a few minutes and never changed.
-- The key of such an event is its signed id, whose row in `idempotency` names no event and no mode: one id is one event of the site.

alter table site add column require_signed_timestamp boolean not null default false;
