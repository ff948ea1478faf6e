-- Whether a site's requests prove who sends them.

-- When the shop first tried the address with an unsigned request. `connected_at` is from now on the time of the first request with a valid signature.
alter table site add column pinged_at timestamptz;

-- Requests with a valid proof by minute: of the last quarter of an hour, and the last one.
create table site_proven (
  site_id uuid not null references site on delete cascade,
  minute timestamptz not null,
  requests integer not null,
  last_at timestamptz not null,
  primary key (site_id, minute)
);

insert into site_proven (site_id, minute, requests, last_at)
select site_id, date_trunc('minute', max(last_used_at)), 0, max(last_used_at) from site_secret
where kind in ('api_key', 'webhook_secret', 'source_secret') and last_used_at is not null group by site_id;

-- A shop that has only tried its address has used no secret and named no topic.
update site s set pinged_at = connected_at, connected_at = null
where s.source_type = 'woocommerce' and s.connected_at is not null and s.deleted_at is null
  and not exists (select from site_proven p where p.site_id = s.id) and not exists (select from site_topic t where t.site_id = s.id);

-- Other senders were connected by their first event.
update site s set connected_at = least(p.last_at, (select uuid_time(e.id) from event e where e.site_id = s.id order by e.id limit 1))
from site_proven p where p.site_id = s.id and s.connected_at is null and s.deleted_at is null;
