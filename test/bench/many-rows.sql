-- Fills one week of an empty installation's log with messages, their events and orders, four messages to one event; run it as the owner, once a week and with several at once:
--   psql -v weeks_ago=3 -v messages=5000000 -f test/bench/many-rows.sql URL
-- 50 million rows (8 weeks of 6,250,000) take about 60 GB of disk. Then stop nothing, run `npm run migrate` of the newer version, and watch pg_locks.
\set ON_ERROR_STOP on
set session_replication_role = replica;
set synchronous_commit = off;
select date_trunc('week', now()) - :weeks_ago * interval '1 week' as week \gset
select make_week_partition('notification', :'week'), make_week_partition('event', :'week'), make_week_partition('event_payload', :'week');
-- Indexes are made once the rows are there, when the partition is attached again.
select 'notification_' || to_char(:'week'::timestamptz, 'IYYY"w"IW') as filled, 'event_' || to_char(:'week'::timestamptz, 'IYYY"w"IW') as filled_events \gset
select substring(pg_get_expr(relpartbound, oid) from 'FROM.*') as bounds from pg_class where relname = :'filled' \gset
alter table notification detach partition :filled;
alter table event detach partition :filled_events;
select format('alter table %s drop constraint %I', conrelid::regclass, conname) from pg_constraint where contype = 'p' and conrelid::regclass::text in (:'filled', :'filled_events')
union all select format('drop index %I', indexname) from pg_indexes where tablename in (:'filled', :'filled_events') and indexname not like '%pkey' \gexec
create temp table place as
  select array_agg(md5('site ' || n)::uuid) as sites, md5('account')::uuid as account, extract(epoch from :'week'::timestamptz) * 1000 as begin_ms,
         604800000.0 / :messages as step_ms
  from generate_series(1, 20) n;
insert into :filled_events (id, site_id, source, name, test, dry_run, order_id, bindings_run, chat, recipients_sent)
select (lpad(to_hex((begin_ms + n * step_ms)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid, sites[1 + n / 4 % 20], 'generic', 'order.created',
       false, false, gen_random_uuid(), 1, 'sent', 4
from place, generate_series(0, :messages - 1, 4) n;
insert into :filled (id, site_id, account_id, event_id, binding_id, template_id, template, language, to_phone, position, status, components, wa_message_id, event,
  sent_at, delivered_at, due_at)
select (lpad(to_hex((begin_ms + n * step_ms)::bigint), 12, '0') || '7001' || '8000' || lpad(to_hex(n), 12, '0'))::uuid, sites[1 + n / 4 % 20], account,
       (lpad(to_hex((begin_ms + n / 4 * 4 * step_ms)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n / 4 * 4), 12, '0'))::uuid, md5('binding')::uuid, md5('template')::uuid,
       'order_confirmation', 'en_US', '+4917' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0'), n % 4, 'delivered',
       '[{"type":"body","parameters":[{"type":"text","text":"Ada"},{"type":"text","text":"10042"}]}]', 'wamid.' || md5(:weeks_ago || ' ' || n), 'order.created',
       :'week'::timestamptz, :'week'::timestamptz, case when n % 50 = 0 then :'week'::timestamptz + interval '1 hour' end
from place, generate_series(0, :messages - 1) n;
insert into customer_order (id, site_id, external_id, number, status, total, currency, last_event_id)
select gen_random_uuid(), sites[1 + n / 4 % 20], :weeks_ago || ' ' || n, '#' || n, 'processing', '199.00', 'USD',
       (lpad(to_hex((begin_ms + n * step_ms)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid
from place, generate_series(0, :messages - 1, 4) n;
alter table notification attach partition :filled for values :bounds;
alter table event attach partition :filled_events for values :bounds;
