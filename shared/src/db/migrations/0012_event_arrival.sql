-- An event as it arrives, with what it says of its order: one row each, where there were two lists to be joined. `event_claim` and `order_claim` stay for the
-- gateways of the last version, which are still at work while this one starts.

create type event_arrival as (
  id uuid, site_id uuid, account_id uuid, site_version bigint, account_version bigint, source text, name text, test boolean, dry_run boolean,
  idempotency_key text, bindings_run integer, chat text, recipients_failed integer, recipients_sent integer, owner uuid, order_id uuid,
  order_external_id text, order_number text, order_status text, order_total text, order_currency text);
