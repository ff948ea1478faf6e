-- The schema after all migrations, made by the tests. Do not edit: change it by a new migration.

create type notification_status as enum ('scheduled', 'cancelled', 'queued', 'sending', 'sent', 'failed', 'delivered', 'read');

CREATE OR REPLACE FUNCTION public.adopt_alerts(of_account uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  with taken as (
    insert into problem (id, account_id, kind, site_id, subject, detail, first_at, last_at, opened_at, alerted, state, resolved_at)
    select distinct on (a.kind, a.subject) a.id, a.account_id, a.kind,
      (select s.id from site s where s.account_id = a.account_id and s.id::text = case
        when a.kind in ('site_silent', 'requests_refused') or (a.kind = 'secret_unreadable' and a.detail->>'of' = 'site') then a.subject
        when a.kind = 'endpoint_disabled' then a.detail->>'siteId' end),
      a.subject, a.detail, uuid_time(a.id), uuid_time(a.id), uuid_time(a.id), true, case when a.cleared_at is null then 'open' else 'resolved' end, a.cleared_at
    from alert a
    where a.account_id = of_account and not exists (select from problem p where p.id = a.id)
      and (a.cleared_at is null or not exists (select from problem p where p.account_id = of_account and p.kind = a.kind and p.subject = a.subject))
    order by a.kind, a.subject, (a.cleared_at is null) desc, a.id desc
    on conflict (account_id, kind, subject, coalesce(site_id, '00000000-0000-0000-0000-000000000000')) do update
      set id = excluded.id, detail = excluded.detail, state = 'open', opened_at = excluded.opened_at, first_at = excluded.first_at, resolved_at = null, alerted = true
      where problem.state = 'resolved' and excluded.state = 'open'
    returning id
  ), noted as (
    delete from alert_notice n using taken t where n.alert_id = t.id returning n.alert_id, n.channel_id, n.cleared, n.due_at, n.told_at
  )
  insert into problem_notice (problem_id, channel_id, cleared, due_at, told_at)
  select alert_id, channel_id, cleared, due_at, told_at from noted on conflict do nothing;
$function$;

CREATE OR REPLACE FUNCTION public.audit_field(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value is null then '-' else octet_length(value) || ':' || value end || E'\n'
$function$;

CREATE OR REPLACE FUNCTION public.audit_hash(e audit_entry)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select sha256(convert_to('tidings audit 1' || E'\n'
    || audit_field(e.account_id::text) || audit_field(e.seq::text) || audit_field(encode(e.previous, 'hex')) || audit_field(e.id::text)
    || audit_field(floor(extract(epoch from e.created_at) * 1000000)::bigint::text)
    || audit_field(e.actor) || audit_field(e.actor_id::text) || audit_field(e.token_id::text) || audit_field(e.action) || audit_field(e.subject)
    || audit_field(e.address) || audit_field(e.changes::text) || audit_field(encode(e.values_digest, 'hex')), 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION public.audit_value_fits(entry audit_entry)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (
    select from audit_value v
    where v.entry_id = entry.id and v.account_id = entry.account_id and sha256(v.salt || convert_to(v.content::text, 'UTF8')) = entry.values_digest)
$function$;

CREATE OR REPLACE FUNCTION public.begin_platform_health()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into platform_health (account_id, due_at) values (new.account_id, now() + interval '1 minute')
  on conflict (account_id) do update set due_at = excluded.due_at, checked_at = null, result = null, full_until = null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.bump_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update account set config_version = config_version + 1 where id in (select account_id from changed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.bump_both_sites()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update site set config_version = config_version + 1 where id in (select site_id from changed union select site_id from before);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.bump_own_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.config_version := old.config_version + 1;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.bump_site_of_secret()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update site set config_version = config_version + 1 where id = coalesce(new.site_id, old.site_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.bump_sites()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update site set config_version = config_version + 1 where id in (select site_id from changed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.chain_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '5s'
AS $function$
declare
  last record;
begin
  perform from account where id = new.account_id for no key update;
  if exists (select from account_move where account_id = new.account_id and state <> 'arriving') then
    raise exception using errcode = 'MV503', message = 'the account moves to another installation';
  end if;
  select seq, hash into last from audit_entry where account_id = new.account_id order by seq desc limit 1;
  new.seq := coalesce(last.seq, 0) + 1;
  new.previous := coalesce(last.hash, '');
  new.hash := audit_hash(new);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_versions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from object_version where object_id = old.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.drop_week_partition(name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if name !~ '^(event|event_payload|notification|event_search)_\d{4}w\d{2}$' then
    raise exception '% is no weekly partition', name;
  end if;
  execute format('drop table if exists public.%I', name);
end $function$;

CREATE OR REPLACE FUNCTION public.empty_audit_values(account uuid, entries uuid[])
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with emptied as (
    update audit_value set salt = null, content = null, emptied_at = now()
    where account_id = account and entry_id = any(entries) and content is not null returning 1)
  select count(*) from emptied
$function$;

CREATE OR REPLACE FUNCTION public.give_rights_of_parent(part regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  given record;
begin
  for given in
    select a.privilege_type as what, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as whom
    from pg_inherits i join pg_class c on c.oid = i.inhparent cross join aclexplode(c.relacl) a
    where i.inhrelid = part and a.grantee <> c.relowner
  loop
    execute format('grant %s on %s to %s', given.what, part, given.whom);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.hold_shop_erasure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.due_at := 'infinity';
  new.phone_hash := 'shop:' || new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.hurry_template_poll()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into template_poll (account_id, due_at) values (new.account_id, now() + interval '5 minutes')
  on conflict (account_id) do update set due_at = excluded.due_at, failures = 0, problem = null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_binding_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_version(new.id, (select account_id from site where id = new.site_id), json_build_object('event', new.event, 'template_id', new.template_id,
    'recipient', new.recipient, 'variable_map', new.variable_map, 'conditions', new.conditions, 'schedule', new.schedule, 'enabled', new.enabled), false);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_template_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_version(new.id, new.account_id, json_build_object('name', new.name, 'language', new.language,
    'category', coalesce(new.requested_category, new.category), 'definition', new.definition, 'ttl_seconds', new.ttl_seconds), true);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_version(of_object uuid, of_account uuid, said json, is_template boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  newest object_version;
begin
  select * into newest from object_version where object_id = of_object order by version desc limit 1;
  -- What a condition compares with may be a text that only json can hold.
  if newest.content::text = said::text then return; end if;
  -- The platform's own place of a header's file changes by itself.
  if is_template then
    if newest.content::jsonb #- '{definition,header,file,mediaId}' = said::jsonb #- '{definition,header,file,mediaId}' then return; end if;
  end if;
  insert into object_version (object_id, version, account_id, by, content)
  values (of_object, coalesce(newest.version, 0) + 1, of_account, nullif(current_setting('tidings.actor', true), ''), said);
  delete from object_version where object_id = of_object and version <= newest.version - 49;
end $function$;

CREATE OR REPLACE FUNCTION public.make_operation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_table_name = 'backfill' then
    insert into operation (id, account_id, kind, created_by, created_at, site_id, subject_id, total, finished_at, settled_at)
    values (new.id, new.account_id, 'backfill', new.created_by, new.created_at, new.site_id, new.binding_id, new.total, new.finished_at, new.finished_at);
  elsif tg_table_name = 'erasure' then
    insert into operation (id, account_id, kind, created_by, created_at, total, finished_at, settled_at)
    values (new.id, new.account_id, 'erasure', new.requested_by, new.requested_at, json_array_length(new.steps), new.finished_at, new.finished_at);
  else
    insert into operation (id, account_id, kind, created_by, created_at, site_id, force, total)
    values (new.id, new.account_id, 'resend', new.created_by, new.created_at, (new.filter->>'siteId')::uuid, new.force, new.total);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.make_replay()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into operation (id, account_id, kind, created_by, created_at, site_id, subject_id, total, asked_at)
  values (new.id, new.account_id, 'replay', '', now(), new.site_id, new.replay_of, 1, now());
  update requested_event set operation_id = new.id where id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.make_week_partition(parent text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  week timestamptz := date_trunc('week', at at time zone 'UTC') at time zone 'UTC';
  name text := parent || '_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
  -- Room for the second version of each row.
  room text := case when parent in ('event', 'notification') then 'with (fillfactor = 50)' else '' end;
begin
  if parent not in ('event', 'event_payload', 'notification', 'event_search') then
    raise exception '% has no weekly partitions', parent;
  end if;
  if to_regclass(name) is null then
    execute format('create table %I partition of %I for values from (%L) to (%L) %s', name, parent, uuid_at(week), uuid_at(week + interval '7 days'), room);
    perform give_rights_of_parent(name::regclass);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.merge_status(old notification_status, old_local boolean, new notification_status, new_local boolean)
 RETURNS notification_status
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case
    when new_local then case when old in ('queued', 'sending') then new else old end
    when old_local then new
    else greatest(old, new)
  end
$function$;

CREATE OR REPLACE FUNCTION public.messages_by_platform_id(ids text[])
 RETURNS TABLE(site_id uuid, id uuid)
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$ select n.site_id, n.id from notification n where n.wa_message_id = any(ids) $function$;

CREATE OR REPLACE FUNCTION public.name_operation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.operation_id := coalesce(new.operation_id, new.backfill_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_audit_head()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into audit_head (account_id, seq, hash)
    select distinct on (account_id) account_id, seq, hash from added order by account_id, seq desc
    on conflict (account_id) do update set seq = excluded.seq, hash = excluded.hash where audit_head.seq < excluded.seq;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := date_trunc('milliseconds', greatest(now(), old.updated_at + interval '1 millisecond'));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_change_of_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update account set updated_at = now() where id = coalesce(new.account_id, old.account_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_change_of_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update site set updated_at = now() where id = coalesce(new.site_id, old.site_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_number_limit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update account set config_version = config_version + 1 where id = new.account_id;
  if new.full_until is null then
    with chosen as materialized (
      select site_id, id from waiting_message where account_id = new.account_id and held_for = 'number_limit' and owner is null order by site_id, id for update
    ),
    due as (
      update waiting_message w set due_at = now(), held_for = null from chosen c where w.site_id = c.site_id and w.id = c.id and w.owner is null
      returning w.account_id, w.phone_hash
    )
    update recipient_turn r set due_at = least(r.due_at, greatest(now(), r.paused_until)) from due d
    where r.account_id = d.account_id and r.phone_hash = d.phone_hash and r.owner is null;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_opt_outs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- One writer an account: two who do not see each other's rows would leave the flag wrong.
  perform 1 from account where id in (select account_id from changed) order by id for no key update;
  update account a set has_opt_outs = not a.has_opt_outs
  where a.id in (select account_id from changed)
    and a.has_opt_outs <> exists (select from opt_out o where o.account_id = a.id and o.active);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_template_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into template_history (template_id, from_status, to_status, reason, source)
  values (new.id, case when tg_op = 'UPDATE' then old.status end, new.status, new.reason, new.status_source);
  delete from template_history where template_id = new.id
    and id <= (select id from template_history where template_id = new.id order by id desc offset 100 limit 1);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.release_paused()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with chosen as materialized (
    select w.site_id, w.id from waiting_message w
    where w.account_id = new.account_id and w.held_for = '132015' and w.owner is null
      and exists (select from notification n where n.site_id = w.site_id and n.id = w.id and n.template_id = new.id)
    order by w.site_id, w.id for update of w
  ),
  due as (
    update waiting_message w set due_at = now(), held_for = null from chosen c where w.site_id = c.site_id and w.id = c.id and w.owner is null
    returning w.account_id, w.phone_hash
  )
  update recipient_turn r set due_at = least(r.due_at, greatest(now(), r.paused_until)) from due d
  where r.account_id = d.account_id and r.phone_hash = d.phone_hash and r.owner is null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.require_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from audit_entry e where e.id = new.entry_id and (audit_value_fits(e) or (new.emptied_at is not null and exists (
    select from account_move m where m.account_id = new.account_id and m.state = 'arriving')))) then
    raise check_violation using message = 'values of the audit come with the entry whose digest covers them';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.require_audit_value()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not audit_value_fits(new) and not exists (
    select from audit_value v join account_move m on m.account_id = v.account_id and m.state = 'arriving'
    where v.entry_id = new.id and v.account_id = new.account_id and v.emptied_at is not null) then
    raise check_violation using message = 'an entry of the audit comes with the values that its digest covers';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.take_site_rate(site uuid, allowed integer, wanted integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  newest bigint;
  counts integer[];
  this_slot bigint;
  gap integer;
  granted integer;
begin
  insert into site_rate values (site, 0, array_fill(0, array[21])) on conflict do nothing;
  select slot, accepted into newest, counts from site_rate where site_id = site for update;
  this_slot := floor(extract(epoch from clock_timestamp()) * 20);
  -- A clock that was set back starts afresh; within a second it only jitters.
  gap := case when this_slot < newest - 20 then 21 else greatest(0, least(this_slot - newest, 21)) end;
  this_slot := case when this_slot < newest - 20 then this_slot else greatest(this_slot, newest) end;
  if gap > 0 then
    counts := (array_fill(0, array[gap]) || counts)[1:21];
  end if;
  granted := greatest(0, least(wanted, allowed - (select sum(n) from unnest(counts) n)::integer));
  counts[1] := counts[1] + granted;
  update site_rate set slot = this_slot, accepted = counts where site_id = site;
  return granted;
end $function$;

CREATE OR REPLACE FUNCTION public.uuid_at(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;

CREATE OR REPLACE FUNCTION public.uuid_time(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select to_timestamp(('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint / 1000::double precision)
$function$;

create table access_token (
  id uuid not null,
  account_id uuid not null,
  created_by uuid not null,
  name text not null,
  role text not null,
  token_hash bytea not null,
  hint text not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  scopes text[],
  constraint access_token_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text]))),
  constraint access_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint access_token_membership_fkey FOREIGN KEY (created_by, account_id) REFERENCES membership(user_id, account_id) ON DELETE CASCADE,
  constraint access_token_pkey PRIMARY KEY (id),
  constraint access_token_token_hash_key UNIQUE (token_hash)
);

create table account (
  id uuid not null,
  name text not null,
  timezone text not null default 'UTC'::text,
  verify_token text not null,
  config_version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  has_opt_outs boolean not null default false,
  payload_days integer not null default 90,
  log_days integer not null default 90,
  require_second_factor boolean not null default false,
  require_sso boolean not null default false,
  dashboard_addresses text[] not null default '{}'::text[],
  token_addresses text[] not null default '{}'::text[],
  encrypt_payloads boolean not null default false,
  data_key text,
  messages_per_second integer default 80,
  retry_hours integer not null default 24,
  stop_words text[],
  start_words text[],
  opt_out_scope text not null default 'all'::text,
  updated_at timestamp with time zone not null default now(),
  opened_from text,
  cells text[] not null default '{}'::text[],
  constraint account_cells_check CHECK ((cardinality(cells) <= 100)),
  constraint account_dashboard_addresses_check CHECK ((cardinality(dashboard_addresses) <= 80)),
  constraint account_data_key_check CHECK (((data_key IS NOT NULL) OR (NOT encrypt_payloads))),
  constraint account_log_days_check CHECK (((log_days >= 1) AND (log_days <= 3650))),
  constraint account_messages_per_second_check CHECK (((messages_per_second >= 1) AND (messages_per_second <= 1000))),
  constraint account_opt_out_scope_check CHECK ((opt_out_scope = ANY (ARRAY['marketing'::text, 'all'::text]))),
  constraint account_payload_days_check CHECK (((payload_days >= 1) AND (payload_days <= 3650))),
  constraint account_retry_hours_check CHECK (((retry_hours >= 0) AND (retry_hours <= 720))),
  constraint account_token_addresses_check CHECK ((cardinality(token_addresses) <= 80)),
  constraint account_pkey PRIMARY KEY (id)
);

create table account_move (
  account_id uuid not null,
  state text not null,
  owner uuid not null,
  since timestamp with time zone not null default now(),
  constraint account_move_state_check CHECK ((state = ANY (ARRAY['leaving'::text, 'left'::text, 'arriving'::text]))),
  constraint account_move_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint account_move_pkey PRIMARY KEY (account_id)
);

create table alert (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  subject text not null,
  detail json not null,
  cleared_at timestamp with time zone,
  constraint alert_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint alert_pkey PRIMARY KEY (id)
);

create table alert_channel (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  target text not null,
  target_hash text not null,
  hint text not null,
  secret text,
  secret_hint text,
  enabled boolean not null default true,
  disabled_because text,
  confirm_hash bytea,
  confirm_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  name text not null default ''::text,
  kinds text[],
  updated_at timestamp with time zone not null default now(),
  constraint alert_channel_check CHECK (((secret IS NOT NULL) = (kind = 'webhook'::text))),
  constraint alert_channel_confirmed CHECK (
CASE
    WHEN (kind = ANY (ARRAY['teams'::text, 'pagerduty'::text])) THEN (confirm_hash IS NOT NULL)
    ELSE ((kind = 'email'::text) OR (confirm_hash IS NULL))
END),
  constraint alert_channel_disabled_because_check CHECK ((disabled_because = 'gone'::text)),
  constraint alert_channel_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'slack'::text, 'webhook'::text, 'teams'::text, 'pagerduty'::text]))),
  constraint alert_channel_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint alert_channel_pkey PRIMARY KEY (id)
);

create table alert_notice (
  alert_id uuid not null,
  channel_id uuid not null,
  cleared boolean not null,
  due_at timestamp with time zone not null,
  told_at timestamp with time zone,
  constraint alert_notice_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alert(id) ON DELETE CASCADE,
  constraint alert_notice_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES alert_channel(id) ON DELETE CASCADE,
  constraint alert_notice_pkey PRIMARY KEY (alert_id, channel_id, cleared)
);

create table alert_watch (
  account_id uuid not null,
  conditions json not null default '{}'::json,
  quiet_hours json,
  urgent_always boolean not null default true,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  updated_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  looked_at timestamp with time zone,
  weekly boolean not null default false,
  week_told date,
  constraint alert_watch_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint alert_watch_pkey PRIMARY KEY (account_id)
);

create table app_user (
  id uuid not null,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamp with time zone not null default now(),
  address_proven boolean not null default false,
  credentials_ended_at timestamp with time zone,
  email_proven boolean not null default true,
  sleeps boolean not null default false,
  openid_issuer text,
  openid_subject text,
  constraint app_user_pkey PRIMARY KEY (id)
);

create table assistant (
  account_id uuid not null,
  provider text not null,
  base_url text not null,
  model text not null,
  api_key text,
  api_key_hint text not null default ''::text,
  timeout_seconds integer not null,
  output_tokens integer not null,
  daily_tokens integer not null,
  updated_at timestamp with time zone not null default now(),
  constraint assistant_base_url_check CHECK ((length(base_url) <= 2048)),
  constraint assistant_model_check CHECK ((length(model) <= 200)),
  constraint assistant_provider_check CHECK ((provider = ANY (ARRAY['openai'::text, 'anthropic'::text]))),
  constraint assistant_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint assistant_pkey PRIMARY KEY (account_id)
);

create table assistant_use (
  id uuid not null,
  account_id uuid not null,
  user_id uuid not null,
  kind text not null,
  model text not null,
  tokens integer not null,
  input json,
  running_until timestamp with time zone,
  constraint assistant_use_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint assistant_use_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint assistant_use_pkey PRIMARY KEY (id)
);

create table audit_entry (
  id uuid not null,
  account_id uuid not null,
  actor text not null,
  action text not null,
  subject text,
  address text,
  created_at timestamp with time zone not null default now(),
  actor_id uuid,
  token_id uuid,
  seq bigint not null,
  changes json,
  values_digest bytea,
  previous bytea not null,
  hash bytea not null,
  constraint audit_entry_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint audit_entry_pkey PRIMARY KEY (id)
);

create table audit_head (
  account_id uuid not null,
  seq bigint not null,
  hash bytea not null,
  constraint audit_head_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint audit_head_pkey PRIMARY KEY (account_id)
);

create table audit_value (
  entry_id uuid not null,
  account_id uuid not null,
  salt bytea,
  content json,
  emptied_at timestamp with time zone,
  constraint audit_value_check CHECK ((((salt IS NULL) = (content IS NULL)) AND ((content IS NULL) = (emptied_at IS NOT NULL)))),
  constraint audit_value_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint audit_value_pkey PRIMARY KEY (entry_id)
);

create table backfill (
  id uuid not null,
  account_id uuid not null,
  site_id uuid not null,
  binding_id uuid not null,
  created_by text not null,
  request_id uuid not null,
  event text not null,
  above uuid not null,
  below uuid not null,
  position uuid not null,
  total integer not null,
  asked integer not null default 0,
  created_at timestamp with time zone not null default now(),
  worked_at timestamp with time zone not null default now(),
  cancelled_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint backfill_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint backfill_binding_id_fkey FOREIGN KEY (binding_id) REFERENCES binding(id) ON DELETE CASCADE,
  constraint backfill_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint backfill_pkey PRIMARY KEY (id)
);

create table binding (
  id uuid not null,
  site_id uuid not null,
  event text not null,
  template_id uuid not null,
  recipient json not null,
  variable_map json not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  template_shape json,
  conditions json,
  schedule jsonb,
  constraint binding_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint binding_template_id_fkey FOREIGN KEY (template_id) REFERENCES template(id),
  constraint binding_pkey PRIMARY KEY (id)
);

create table binding_use (
  binding_id uuid not null,
  fired_at timestamp with time zone,
  held_at timestamp with time zone,
  constraint binding_use_binding_id_fkey FOREIGN KEY (binding_id) REFERENCES binding(id) ON DELETE CASCADE,
  constraint binding_use_pkey PRIMARY KEY (binding_id)
);

create table challenge (
  hash bytea not null,
  purpose text not null,
  user_id uuid not null,
  tries integer not null default 0,
  expires_at timestamp with time zone not null,
  constraint challenge_purpose_check CHECK ((purpose = ANY (ARRAY['second_factor'::text, 'add_passkey'::text, 'spent'::text]))),
  constraint challenge_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint challenge_pkey PRIMARY KEY (hash)
);

create table customer_order (
  id uuid not null,
  site_id uuid not null,
  external_id text,
  number text,
  status text,
  total text,
  currency text,
  last_event_id uuid not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint customer_order_pkey PRIMARY KEY (site_id, id)
);

create table encryption (
  account_id uuid not null,
  requested_at timestamp with time zone not null default now(),
  steps json not null,
  pass integer not null default 0,
  step integer not null default 0,
  position uuid,
  changed integer not null default 0,
  total bigint not null default 0,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  constraint encryption_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint encryption_pkey PRIMARY KEY (account_id)
);

create table erasure (
  id uuid not null,
  account_id uuid not null,
  requested_by text not null,
  requested_at timestamp with time zone not null default now(),
  phone text,
  phone_hash text not null,
  hint text not null,
  below uuid not null,
  steps json not null,
  pass integer not null default 0,
  step integer not null default 0,
  position uuid,
  postponed integer not null default 0,
  scanned bigint not null default 0,
  counts json not null default '{}'::json,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  finished_at timestamp with time zone,
  constraint erasure_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint erasure_pkey PRIMARY KEY (id)
);

create table erasure_request (
  id uuid not null,
  account_id uuid not null,
  site_id uuid not null,
  person text,
  person_hash text not null,
  hint text not null,
  asked_at timestamp with time zone not null default now(),
  state text not null default 'asked'::text,
  decided_by text,
  decided_at timestamp with time zone,
  below uuid not null,
  pass integer not null default 0,
  step integer not null default 0,
  position uuid,
  postponed integer not null default 0,
  scanned bigint not null default 0,
  counts json not null default '{}'::json,
  due_at timestamp with time zone not null,
  owner uuid,
  lease_until timestamp with time zone,
  served_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint erasure_request_check CHECK (((person IS NOT NULL) OR (state = ANY (ARRAY['refused'::text, 'done'::text])))),
  constraint erasure_request_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'confirmed'::text, 'refused'::text, 'done'::text]))),
  constraint erasure_request_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint erasure_request_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint erasure_request_pkey PRIMARY KEY (id)
);

create table event (
  id uuid not null,
  site_id uuid not null,
  source text not null,
  name text not null,
  test boolean not null,
  dry_run boolean not null,
  order_id uuid,
  idempotency_key text,
  bindings_run integer not null,
  chat text,
  recipients_sent integer not null default 0,
  recipients_failed integer not null default 0,
  owner uuid,
  replays integer not null default 0,
  recipients_scheduled integer not null default 0,
  unreached text,
  constraint event_pkey PRIMARY KEY (site_id, id)
) partition by RANGE (id);

create table event_default partition of event DEFAULT;

create table event_due (
  site_id uuid not null,
  id uuid not null,
  due_at timestamp with time zone not null,
  constraint event_due_pkey PRIMARY KEY (site_id, id)
);

create table event_kind (
  site_id uuid not null,
  name text not null,
  last_event_id uuid not null,
  fields json not null default '[]'::json,
  constraint event_kind_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint event_kind_pkey PRIMARY KEY (site_id, name)
);

create table event_learning (
  site_id uuid not null,
  fresh uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  settled uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  learned_at timestamp with time zone,
  constraint event_learning_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint event_learning_pkey PRIMARY KEY (site_id)
);

create table event_payload (
  id uuid not null,
  site_id uuid not null,
  payload text not null,
  trace text,
  constraint event_payload_pkey PRIMARY KEY (site_id, id)
) partition by RANGE (id);

create table event_payload_default partition of event_payload DEFAULT;

create table event_search (
  id uuid not null,
  site_id uuid not null,
  account_id uuid not null,
  words text not null,
  open_words text not null,
  letters text not null,
  customer text,
  constraint event_search_pkey PRIMARY KEY (site_id, id)
) partition by RANGE (id);

create table event_search_default partition of event_search DEFAULT;

create table gateway (
  id uuid not null,
  lease_until timestamp with time zone not null,
  since uuid not null,
  constraint gateway_pkey PRIMARY KEY (id)
);

create table idempotency (
  site_id uuid not null,
  event text not null,
  key text not null,
  dry_run boolean not null,
  event_id uuid not null,
  expires_at timestamp with time zone not null,
  body text,
  constraint idempotency_pkey PRIMARY KEY (site_id, event, key, dry_run)
);

create table invite (
  id uuid not null,
  account_id uuid not null,
  created_by uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint invite_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text]))),
  constraint invite_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint invite_membership_fkey FOREIGN KEY (created_by, account_id) REFERENCES membership(user_id, account_id) ON DELETE CASCADE,
  constraint invite_pkey PRIMARY KEY (id),
  constraint invite_token_hash_key UNIQUE (token_hash)
);

create table job_turn (
  name text not null,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  constraint job_turn_pkey PRIMARY KEY (name)
);

create table login_try (
  key bytea not null,
  tries timestamp with time zone[] not null,
  expires_at timestamp with time zone not null,
  constraint login_try_pkey PRIMARY KEY (key)
);

create table made_once (
  account_id uuid not null,
  key text not null,
  input text not null,
  object_id uuid not null,
  made_at timestamp with time zone not null default now(),
  constraint made_once_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint made_once_pkey PRIMARY KEY (account_id, key)
);

create table media_chunk (
  file_id uuid not null,
  position integer not null,
  bytes bytea not null,
  constraint media_chunk_file_id_fkey FOREIGN KEY (file_id) REFERENCES media_file(id) ON DELETE CASCADE,
  constraint media_chunk_pkey PRIMARY KEY (file_id, "position")
);

create table media_file (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  type text not null,
  size integer,
  platform_media_id text,
  platform_phone_number_id text,
  platform_media_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint media_file_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint media_file_pkey PRIMARY KEY (id)
);

create table membership (
  id uuid not null,
  user_id uuid not null,
  account_id uuid not null,
  role text not null,
  chosen_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  assistant_agreed text,
  constraint membership_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text]))),
  constraint membership_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint membership_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint membership_pkey PRIMARY KEY (id),
  constraint membership_user_id_account_id_key UNIQUE (user_id, account_id)
);

create table moved_token (
  digest bytea not null,
  account_id uuid not null,
  constraint moved_token_digest_check CHECK ((length(digest) = 32)),
  constraint moved_token_pkey PRIMARY KEY (digest)
);

create table notification (
  id uuid not null,
  site_id uuid not null,
  account_id uuid not null,
  event_id uuid not null,
  binding_id uuid not null,
  template_id uuid not null,
  template text not null,
  language text not null,
  to_phone text not null,
  position integer not null,
  status notification_status not null,
  local_failure boolean not null default false,
  attempt smallint not null default 1,
  in_doubt_since timestamp with time zone,
  components text not null,
  wa_message_id text,
  error_code text,
  error_reason text,
  error_detail text,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  read_at timestamp with time zone,
  failed_at timestamp with time zone,
  event text not null default ''::text,
  resend_of uuid,
  resent_as uuid,
  due_at timestamp with time zone,
  tries jsonb,
  test boolean not null default false,
  held_at timestamp with time zone,
  pricing jsonb,
  refused_attempt smallint,
  constraint notification_pkey PRIMARY KEY (site_id, id)
) partition by RANGE (id);

create table notification_count (
  site_id uuid not null,
  timezone text not null,
  counted_to date not null,
  part_day date,
  part_timezone text,
  part_hours integer not null default 0,
  constraint notification_count_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint notification_count_pkey PRIMARY KEY (site_id)
);

create table notification_day (
  site_id uuid not null,
  day date not null,
  template text not null,
  status notification_status not null,
  error_code text not null,
  count integer not null,
  once boolean not null default false,
  constraint notification_day_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint notification_day_pkey PRIMARY KEY (site_id, day, template, status, error_code)
);

create table notification_default partition of notification DEFAULT;

create table notification_hour (
  site_id uuid not null,
  day date not null,
  hour smallint not null,
  binding_id uuid not null,
  template text not null,
  total integer not null,
  sent integer not null,
  delivered integer not null,
  read integer not null,
  failed integer not null,
  sent_in jsonb not null,
  delivered_in jsonb not null,
  constraint notification_hour_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint notification_hour_pkey PRIMARY KEY (site_id, day, hour, binding_id, template)
);

create table notification_late (
  site_id uuid not null,
  at timestamp with time zone not null,
  constraint notification_late_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE
);

create table notification_price (
  site_id uuid not null,
  day date not null,
  country text not null,
  category text not null,
  billable integer not null,
  free integer not null,
  constraint notification_price_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint notification_price_pkey PRIMARY KEY (site_id, day, country, category)
);

create table notification_recent (
  site_id uuid not null,
  start timestamp with time zone not null,
  stop timestamp with time zone not null,
  counted_at timestamp with time zone not null,
  hours jsonb not null,
  statuses jsonb not null,
  constraint notification_recent_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint notification_recent_pkey PRIMARY KEY (site_id, start)
);

create table number_pace (
  phone_number_id text not null,
  next_at timestamp with time zone not null,
  slowed_at timestamp with time zone,
  slowed_to real not null default 1,
  constraint number_pace_pkey PRIMARY KEY (phone_number_id)
);

create table object_version (
  object_id uuid not null,
  version integer not null,
  account_id uuid not null,
  at timestamp with time zone not null default now(),
  by text,
  content json not null,
  constraint object_version_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint object_version_pkey PRIMARY KEY (object_id, version)
);

create table operation (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  site_id uuid,
  subject_id uuid,
  force boolean not null default false,
  input text,
  position text,
  asked_at timestamp with time zone,
  total integer not null,
  made integer not null default 0,
  without integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  cancelled integer not null default 0,
  changed integer not null default 0,
  waiting integer not null default 0,
  live integer not null default 0,
  stopping_at timestamp with time zone,
  finished_at timestamp with time zone,
  settled_at timestamp with time zone,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  served_at timestamp with time zone,
  constraint operation_kind_check CHECK ((kind = ANY (ARRAY['resend'::text, 'cancel'::text, 'send_now'::text, 'change_bindings'::text, 'backfill'::text, 'replay'::text, 'replay_deliveries'::text, 'erasure'::text]))),
  constraint operation_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint operation_pkey PRIMARY KEY (id)
);

create table operation_item (
  operation_id uuid not null,
  id uuid not null,
  site_id uuid not null,
  outcome text,
  settled boolean not null default false,
  former timestamp with time zone,
  constraint operation_item_operation_id_fkey FOREIGN KEY (operation_id) REFERENCES operation(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint operation_item_pkey PRIMARY KEY (operation_id, id)
);

create table opt_out (
  id uuid not null,
  account_id uuid not null,
  phone_hash text not null,
  phone text,
  scope text not null,
  source text not null,
  code text,
  active boolean not null,
  since timestamp with time zone not null,
  told_at timestamp with time zone not null,
  user_id text,
  constraint opt_out_scope_check CHECK ((scope = ANY (ARRAY['marketing'::text, 'all'::text]))),
  constraint opt_out_source_check CHECK ((source = ANY (ARRAY['preference'::text, 'callback'::text, 'refusal'::text, 'operator'::text, 'keyword'::text]))),
  constraint opt_out_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint opt_out_pkey PRIMARY KEY (id),
  constraint opt_out_account_id_phone_hash_scope_key UNIQUE (account_id, phone_hash, scope)
);

create table outbox (
  id uuid not null,
  account_id uuid,
  kind text not null,
  to_hash text,
  content text,
  status text not null default 'pending'::text,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  failures integer not null default 0,
  last_status_code integer,
  last_error text,
  expires_at timestamp with time zone not null,
  channel_id uuid,
  constraint outbox_check CHECK (((content IS NULL) = (status <> 'pending'::text))),
  constraint outbox_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text]))),
  constraint outbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint outbox_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES alert_channel(id) ON DELETE CASCADE,
  constraint outbox_pkey PRIMARY KEY (id)
);

create table passkey (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_credential_id_key UNIQUE (credential_id)
);

create table password_reset (
  user_id uuid not null,
  created_by uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  account_id uuid not null,
  by_mail boolean not null default false,
  constraint password_reset_maker_fkey FOREIGN KEY (created_by, account_id) REFERENCES membership(user_id, account_id) ON DELETE CASCADE,
  constraint password_reset_user_fkey FOREIGN KEY (user_id, account_id) REFERENCES membership(user_id, account_id) ON DELETE CASCADE,
  constraint password_reset_pkey PRIMARY KEY (token_hash)
);

create table platform_account (
  account_id uuid not null,
  sandbox boolean not null,
  waba_id text not null,
  phone_number_id text not null,
  api_version text not null,
  app_id text,
  access_token text not null,
  access_token_hint text not null,
  app_secret text,
  stopped_code text,
  stopped_reason text,
  stopped_at timestamp with time zone,
  probe_after timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  marketing_route text not null default 'messages'::text,
  stop_waits boolean not null default false,
  stopped_until timestamp with time zone,
  told_at timestamp with time zone,
  told_event text,
  limited_number text,
  limited_probe_after timestamp with time zone,
  constraint platform_account_marketing_route_check CHECK ((marketing_route = ANY (ARRAY['messages'::text, 'marketing_messages'::text]))),
  constraint platform_account_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint platform_account_pkey PRIMARY KEY (account_id)
);

create table platform_callback (
  account_id uuid not null,
  last_at timestamp with time zone not null,
  constraint platform_callback_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint platform_callback_pkey PRIMARY KEY (account_id)
);

create table platform_health (
  account_id uuid not null,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  checked_at timestamp with time zone,
  result json,
  people integer,
  people_at timestamp with time zone,
  full_until timestamp with time zone,
  constraint platform_health_account_id_fkey FOREIGN KEY (account_id) REFERENCES platform_account(account_id) ON DELETE CASCADE,
  constraint platform_health_pkey PRIMARY KEY (account_id)
);

create table platform_notice (
  account_id uuid not null,
  subject text not null,
  words text not null,
  until timestamp with time zone,
  told_at timestamp with time zone not null,
  constraint platform_notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint platform_notice_pkey PRIMARY KEY (account_id, subject)
);

create table platform_user (
  account_id uuid not null,
  user_hash text not null,
  phone_hash text not null,
  site_id uuid,
  message_id uuid,
  seen_at timestamp with time zone not null default now(),
  constraint platform_user_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint platform_user_pkey PRIMARY KEY (account_id, user_hash)
);

create table problem (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  site_id uuid,
  subject text not null,
  detail json not null,
  count integer not null default 0,
  more boolean not null default false,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  state text not null default 'open'::text,
  snoozed_until timestamp with time zone,
  acknowledged_by text,
  note text,
  opened_at timestamp with time zone not null default now(),
  resolved_at timestamp with time zone,
  counted_from timestamp with time zone,
  alerted boolean not null default false,
  began_at timestamp with time zone,
  constraint problem_check CHECK (((resolved_at IS NOT NULL) = (state = 'resolved'::text))),
  constraint problem_check1 CHECK (((snoozed_until IS NOT NULL) = (state = 'snoozed'::text))),
  constraint problem_state_check CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'snoozed'::text, 'resolved'::text]))),
  constraint problem_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint problem_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint problem_pkey PRIMARY KEY (id)
);

create table problem_notice (
  problem_id uuid not null,
  channel_id uuid not null,
  cleared boolean not null,
  due_at timestamp with time zone not null,
  told_at timestamp with time zone,
  constraint problem_notice_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES alert_channel(id) ON DELETE CASCADE,
  constraint problem_notice_problem_id_fkey FOREIGN KEY (problem_id) REFERENCES problem(id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint problem_notice_pkey PRIMARY KEY (problem_id, channel_id, cleared)
);

create table recipient_turn (
  account_id uuid not null,
  phone_hash text not null,
  site_id uuid not null,
  due_at timestamp with time zone not null,
  paused_until timestamp with time zone,
  owner uuid,
  constraint recipient_turn_pkey PRIMARY KEY (account_id, phone_hash)
);

create table reconcile (
  site_id uuid not null,
  key_id uuid not null,
  url text not null,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  last_at timestamp with time zone,
  taken integer not null default 0,
  problem jsonb,
  problem_since timestamp with time zone,
  constraint reconcile_key_id_fkey FOREIGN KEY (key_id) REFERENCES site_secret(id) ON DELETE CASCADE,
  constraint reconcile_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint reconcile_pkey PRIMARY KEY (site_id)
);

create table recovery_code (
  user_id uuid not null,
  code_hash bytea not null,
  constraint recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint recovery_code_pkey PRIMARY KEY (user_id, code_hash)
);

create table refused_request (
  site_id uuid not null,
  id uuid not null,
  because text not null,
  event text not null,
  headers jsonb not null,
  bytes integer,
  sha256 text,
  start text,
  skipped integer not null,
  constraint refused_request_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint refused_request_pkey PRIMARY KEY (site_id, id)
);

create table requested_event (
  id uuid not null,
  account_id uuid not null,
  site_id uuid not null,
  kind text not null,
  request_id uuid,
  replay_of uuid,
  binding_id uuid,
  template_id uuid,
  backfill_id uuid,
  name text,
  payload text,
  phone text,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  lease_until timestamp with time zone,
  done_at timestamp with time zone,
  problem text,
  operation_id uuid,
  counted boolean not null default false,
  constraint requested_event_kind_check CHECK ((kind = ANY (ARRAY['replay'::text, 'backfill'::text, 'test'::text]))),
  constraint requested_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint requested_event_backfill_id_fkey FOREIGN KEY (backfill_id) REFERENCES backfill(id) ON DELETE SET NULL,
  constraint requested_event_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint requested_event_pkey PRIMARY KEY (id)
);

create table resend_job (
  id uuid not null,
  account_id uuid not null,
  created_by text not null,
  filter json not null,
  force boolean not null,
  total integer not null,
  below uuid not null,
  resent integer not null default 0,
  refused integer not null default 0,
  created_at timestamp with time zone not null default now(),
  worked_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  constraint resend_job_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint resend_job_pkey PRIMARY KEY (id)
);

create table saved_view (
  id uuid not null,
  account_id uuid not null,
  list text not null,
  name text not null,
  filter json not null,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint saved_view_filter_check CHECK ((octet_length((filter)::text) <= 8192)),
  constraint saved_view_list_check CHECK ((list = ANY (ARRAY['log'::text, 'events'::text, 'scheduled'::text, 'bindings'::text, 'statistics'::text, 'webhooks'::text, 'problems'::text, 'operations'::text, 'audit'::text, 'sites'::text, 'templates'::text, 'privacy'::text, 'tokens'::text]))),
  constraint saved_view_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint saved_view_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint saved_view_pkey PRIMARY KEY (id)
);

create table schema_migration (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migration_pkey PRIMARY KEY (number)
);

create table search_learning (
  site_id uuid not null,
  fresh uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  settled uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  constraint search_learning_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint search_learning_pkey PRIMARY KEY (site_id)
);

create table send_count (
  account_id uuid not null,
  gateway_id uuid not null,
  second timestamp with time zone not null,
  count integer not null,
  unanswered integer not null default 0,
  constraint send_count_pkey PRIMARY KEY (account_id, second, gateway_id)
);

create table shop_history (
  site_id uuid not null,
  id uuid not null,
  history text not null,
  updated_at timestamp with time zone not null default now(),
  constraint shop_history_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint shop_history_pkey PRIMARY KEY (site_id, id)
);

create table site (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  url text not null,
  source_type text not null,
  enabled boolean not null default true,
  test_phone text,
  require_timestamp boolean not null default false,
  rate_limit_per_second integer,
  config_version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  require_signed_timestamp boolean not null default false,
  idempotency_hours integer,
  hold_messages boolean not null default false,
  inbound_token text not null default replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text),
  connected_at timestamp with time zone,
  country text,
  topic_map jsonb not null default '{}'::jsonb,
  normalize_phones text not null default 'off'::text,
  pinged_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  retry_after_answer boolean not null default true,
  mode text not null default 'live'::text,
  constraint site_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint site_idempotency_hours_check CHECK (((idempotency_hours >= 1) AND (idempotency_hours <= 168))),
  constraint site_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint site_normalize_phones_check CHECK ((normalize_phones = ANY (ARRAY['off'::text, 'shop'::text, 'all'::text]))),
  constraint site_source_type_check CHECK ((source_type = ANY (ARRAY['woocommerce'::text, 'shopify'::text, 'generic'::text]))),
  constraint site_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint site_pkey PRIMARY KEY (id),
  constraint site_id_mode_key UNIQUE (id, mode)
);

create table site_proven (
  site_id uuid not null,
  minute timestamp with time zone not null,
  requests integer not null,
  last_at timestamp with time zone not null,
  constraint site_proven_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint site_proven_pkey PRIMARY KEY (site_id, minute)
);

create table site_rate (
  site_id uuid not null,
  slot bigint not null,
  accepted integer[] not null,
  constraint site_rate_pkey PRIMARY KEY (site_id)
);

create table site_recipient (
  id uuid not null,
  site_id uuid not null,
  phone text not null,
  label text not null default ''::text,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint site_recipient_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint site_recipient_pkey PRIMARY KEY (id),
  constraint site_recipient_site_id_phone_key UNIQUE (site_id, phone)
);

create table site_secret (
  id uuid not null,
  site_id uuid not null,
  kind text not null,
  key_hash bytea,
  secret text,
  hint text not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  site_mode text not null default 'live'::text,
  constraint site_secret_check CHECK (((key_hash IS NOT NULL) = (kind = 'api_key'::text))),
  constraint site_secret_check1 CHECK (((secret IS NOT NULL) = (kind <> 'api_key'::text))),
  constraint site_secret_kind_check CHECK ((kind = ANY (ARRAY['api_key'::text, 'webhook_secret'::text, 'source_secret'::text, 'rest_key'::text, 'outbound_secret'::text]))),
  constraint site_secret_mode_fkey FOREIGN KEY (site_id, site_mode) REFERENCES site(id, mode) ON DELETE CASCADE,
  constraint site_secret_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint site_secret_pkey PRIMARY KEY (id)
);

create table site_topic (
  site_id uuid not null,
  topic text not null,
  last_seen_at timestamp with time zone not null,
  constraint site_topic_topic_check CHECK ((length(topic) <= 200)),
  constraint site_topic_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint site_topic_pkey PRIMARY KEY (site_id, topic)
);

create table template (
  id uuid not null,
  account_id uuid not null,
  platform_id text,
  name text not null,
  language text not null,
  category text not null,
  status text not null,
  reason text,
  definition json not null,
  synced_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  requested_category text,
  quality text,
  quality_at timestamp with time zone,
  status_source text not null default 'create'::text,
  told_at timestamp with time zone,
  submitting_at timestamp with time zone,
  upcoming_category text,
  upcoming_at timestamp with time zone,
  former_category text,
  category_at timestamp with time zone,
  ttl_seconds integer,
  source text,
  constraint template_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'pending'::text, 'approved'::text, 'rejected'::text, 'paused'::text, 'disabled'::text]))),
  constraint template_status_source_check CHECK ((status_source = ANY (ARRAY['create'::text, 'submit'::text, 'delete'::text, 'sync'::text, 'poll'::text, 'callback'::text]))),
  constraint template_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint template_pkey PRIMARY KEY (id),
  constraint template_account_id_name_language_key UNIQUE (account_id, name, language)
);

create table template_history (
  template_id uuid not null,
  id bigint not null generated as identity,
  at timestamp with time zone not null default now(),
  from_status text,
  to_status text not null,
  reason text,
  source text not null,
  constraint template_history_template_id_fkey FOREIGN KEY (template_id) REFERENCES template(id) ON DELETE CASCADE,
  constraint template_history_pkey PRIMARY KEY (template_id, id)
);

create table template_poll (
  account_id uuid not null,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  claimed_at timestamp with time zone,
  lease_until timestamp with time zone,
  failures integer not null default 0,
  last_at timestamp with time zone,
  problem text,
  constraint template_poll_account_id_fkey FOREIGN KEY (account_id) REFERENCES platform_account(account_id) ON DELETE CASCADE,
  constraint template_poll_pkey PRIMARY KEY (account_id)
);

create table test_connection (
  account_id uuid not null,
  waba_id text not null,
  phone_number_id text not null,
  access_token text not null,
  app_secret text not null,
  updated_at timestamp with time zone not null default now(),
  constraint test_connection_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint test_connection_pkey PRIMARY KEY (account_id)
);

create table throttle (
  binding_id uuid not null,
  phone_hash text not null,
  left_at timestamp with time zone[] not null,
  until timestamp with time zone not null,
  constraint throttle_binding_id_fkey FOREIGN KEY (binding_id) REFERENCES binding(id) ON DELETE CASCADE,
  constraint throttle_pkey PRIMARY KEY (binding_id, phone_hash)
);

create table totp (
  user_id uuid not null,
  secret text,
  last_step bigint,
  pending text,
  pending_until timestamp with time zone,
  constraint totp_check CHECK (((secret IS NULL) = (last_step IS NULL))),
  constraint totp_check1 CHECK (((pending IS NULL) = (pending_until IS NULL))),
  constraint totp_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint totp_pkey PRIMARY KEY (user_id)
);

create table user_session (
  id text not null,
  user_id uuid not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  handle uuid not null,
  address text,
  user_agent text,
  last_used_at timestamp with time zone not null default now(),
  proven_at timestamp with time zone not null default now(),
  account_id uuid not null,
  way text not null default 'password'::text,
  constraint user_session_way_check CHECK ((way = ANY (ARRAY['password'::text, 'second_factor'::text, 'passkey'::text, 'sso'::text]))),
  constraint user_session_membership_fkey FOREIGN KEY (user_id, account_id) REFERENCES membership(user_id, account_id) ON DELETE CASCADE,
  constraint user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint user_session_pkey PRIMARY KEY (id)
);

create table vault_key (
  single boolean not null default true,
  record text not null,
  constraint vault_key_single_check CHECK (single),
  constraint vault_key_pkey PRIMARY KEY (single)
);

create table waiting_message (
  site_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  event_id uuid not null,
  binding_id uuid not null,
  phone_hash text not null,
  due_at timestamp with time zone not null,
  queued_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  cancel_key text,
  restart_key text,
  owner uuid,
  again boolean not null default false,
  doubts integer not null default 0,
  held_for text,
  constraint waiting_message_pkey PRIMARY KEY (site_id, id)
);

create table webhook (
  id uuid not null,
  account_id uuid not null,
  site_id uuid not null,
  url text not null,
  types text[] not null,
  enabled boolean not null default true,
  disabled_because text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint webhook_disabled_because_check CHECK ((disabled_because = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhook_url_check CHECK ((length(url) <= 2048)),
  constraint webhook_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  constraint webhook_site_id_fkey FOREIGN KEY (site_id) REFERENCES site(id) ON DELETE CASCADE,
  constraint webhook_pkey PRIMARY KEY (id)
);

create table webhook_delivery (
  id uuid not null,
  webhook_id uuid not null,
  type text not null,
  site_id uuid not null,
  event_id uuid,
  notification_id uuid,
  phone_hash text,
  payload text,
  occurred_at timestamp with time zone not null,
  status text not null default 'pending'::text,
  due_at timestamp with time zone not null default now(),
  owner uuid,
  attempts integer not null default 0,
  failures integer not null default 0,
  last_status_code integer,
  last_error text,
  tries jsonb not null default '[]'::jsonb,
  answer text,
  constraint webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE,
  constraint webhook_delivery_pkey PRIMARY KEY (id)
);

CREATE INDEX access_token_account ON public.access_token USING btree (account_id);
CREATE INDEX alert_cleared ON public.alert USING btree (cleared_at) WHERE (cleared_at IS NOT NULL);
CREATE UNIQUE INDEX alert_current ON public.alert USING btree (account_id, kind, subject) WHERE (cleared_at IS NULL);
CREATE INDEX alert_log ON public.alert USING btree (account_id, id);
CREATE UNIQUE INDEX alert_channel_confirm ON public.alert_channel USING btree (confirm_hash) WHERE (confirm_hash IS NOT NULL);
CREATE UNIQUE INDEX alert_channel_target ON public.alert_channel USING btree (account_id, kind, target_hash);
CREATE INDEX alert_notice_due ON public.alert_notice USING btree (channel_id, due_at) WHERE (told_at IS NULL);
CREATE INDEX alert_watch_due ON public.alert_watch USING btree (due_at);
CREATE UNIQUE INDEX app_user_email ON public.app_user USING btree (lower(email));
CREATE UNIQUE INDEX app_user_openid ON public.app_user USING btree (openid_issuer, openid_subject) WHERE (openid_subject IS NOT NULL);
CREATE INDEX assistant_use_account ON public.assistant_use USING btree (account_id, id);
CREATE INDEX assistant_use_running ON public.assistant_use USING btree (running_until) WHERE (running_until IS NOT NULL);
CREATE INDEX audit_entry_account ON public.audit_entry USING btree (account_id, id);
CREATE INDEX audit_entry_action ON public.audit_entry USING btree (account_id, action, id);
CREATE INDEX audit_entry_actor ON public.audit_entry USING btree (account_id, lower(actor), id);
CREATE UNIQUE INDEX audit_entry_seq ON public.audit_entry USING btree (account_id, seq);
CREATE INDEX audit_value_account ON public.audit_value USING btree (account_id) WHERE (content IS NOT NULL);
CREATE INDEX backfill_binding ON public.backfill USING btree (binding_id, id);
CREATE UNIQUE INDEX backfill_open ON public.backfill USING btree (account_id) WHERE (finished_at IS NULL);
CREATE UNIQUE INDEX backfill_request ON public.backfill USING btree (account_id, request_id);
CREATE INDEX backfill_worked ON public.backfill USING btree (worked_at) WHERE (finished_at IS NULL);
CREATE INDEX binding_site_event ON public.binding USING btree (site_id, event);
CREATE INDEX binding_template ON public.binding USING btree (template_id);
CREATE INDEX challenge_user ON public.challenge USING btree (user_id);
CREATE INDEX customer_order_number ON public.customer_order USING btree (site_id, hashtextextended(number, (0)::bigint)) WHERE (number IS NOT NULL);
CREATE INDEX erasure_account ON public.erasure USING btree (account_id, id);
CREATE INDEX erasure_held ON public.erasure USING btree (id) WHERE ((due_at = 'infinity'::timestamp with time zone) AND (finished_at IS NULL));
CREATE UNIQUE INDEX erasure_open ON public.erasure USING btree (account_id, phone_hash) WHERE (finished_at IS NULL);
CREATE INDEX erasure_request_account ON public.erasure_request USING btree (account_id, id);
CREATE INDEX erasure_request_due ON public.erasure_request USING btree (due_at) WHERE (state = ANY (ARRAY['asked'::text, 'confirmed'::text]));
CREATE UNIQUE INDEX erasure_request_open ON public.erasure_request USING btree (site_id, person_hash) WHERE (state = ANY (ARRAY['asked'::text, 'confirmed'::text]));
CREATE INDEX erasure_request_served ON public.erasure_request USING btree (account_id, served_at);
CREATE INDEX event_dry_run ON ONLY public.event USING btree (site_id, id) WHERE dry_run;
CREATE INDEX event_id ON ONLY public.event USING brin (id) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX event_name ON ONLY public.event USING btree (site_id, name, id) WHERE (name <> ''::text);
CREATE INDEX event_order ON ONLY public.event USING btree (site_id, order_id, id) WHERE (order_id IS NOT NULL);
CREATE INDEX event_test ON ONLY public.event USING btree (site_id, id) WHERE test;
CREATE INDEX event_unreached ON ONLY public.event USING btree (site_id, id) WHERE (unreached IS NOT NULL);
CREATE INDEX event_due_at ON public.event_due USING btree (due_at);
CREATE INDEX event_kind_last ON public.event_kind USING btree (site_id, last_event_id);
CREATE INDEX event_search_beginnings ON ONLY public.event_search USING gin (array_to_tsvector(string_to_array(replace(words, ' '::text, (' '::text || split_part(words, ' '::text, 1))), ' '::text))) WITH (gin_pending_list_limit='512');
CREATE INDEX event_search_parts ON ONLY public.event_search USING gin (letters gin_trgm_ops) WITH (gin_pending_list_limit='512');
CREATE INDEX idempotency_expires ON public.idempotency USING btree (expires_at);
CREATE INDEX invite_account ON public.invite USING btree (account_id, id);
CREATE INDEX login_try_expires ON public.login_try USING btree (expires_at);
CREATE INDEX made_once_account ON public.made_once USING btree (account_id, made_at);
CREATE INDEX made_once_at ON public.made_once USING btree (made_at);
CREATE INDEX media_file_account ON public.media_file USING btree (account_id);
CREATE INDEX membership_account ON public.membership USING btree (account_id, id);
CREATE INDEX moved_token_account ON public.moved_token USING btree (account_id);
CREATE INDEX notification_code ON ONLY public.notification USING btree (site_id, error_code, id) WHERE (error_code IS NOT NULL);
CREATE INDEX notification_due ON ONLY public.notification USING btree (site_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notification_event ON ONLY public.notification USING btree (site_id, event_id);
CREATE INDEX notification_failures ON ONLY public.notification USING btree (site_id, id) INCLUDE (error_code, failed_at, template_id, binding_id, resent_as, test) WHERE (error_code IS NOT NULL);
CREATE INDEX notification_kind ON ONLY public.notification USING btree (site_id, template, event, id) WHERE (template <> ''::text);
CREATE INDEX notification_phone ON ONLY public.notification USING btree (site_id, to_phone, id) WHERE (to_phone <> ''::text);
CREATE INDEX notification_test ON ONLY public.notification USING btree (site_id, id) WHERE test;
CREATE INDEX notification_wa_message ON ONLY public.notification USING brin (wa_message_id text_bloom_ops (false_positive_rate='0.005')) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX notification_day_again ON public.notification_day USING btree (site_id, day) WHERE (NOT once);
CREATE INDEX object_version_account ON public.object_version USING btree (account_id);
CREATE INDEX operation_account ON public.operation USING btree (account_id, id);
CREATE INDEX operation_due ON public.operation USING btree (due_at) WHERE (settled_at IS NULL);
CREATE INDEX operation_open ON public.operation USING btree (account_id) WHERE (finished_at IS NULL);
CREATE INDEX operation_served ON public.operation USING btree (account_id, served_at) WHERE (settled_at IS NULL);
CREATE INDEX operation_item_live ON public.operation_item USING btree (operation_id) WHERE (NOT settled);
CREATE INDEX opt_out_active ON public.opt_out USING btree (account_id, id) WHERE active;
CREATE INDEX outbox_account ON public.outbox USING btree (account_id, id);
CREATE INDEX outbox_channel ON public.outbox USING btree (channel_id, id) WHERE (channel_id IS NOT NULL);
CREATE INDEX outbox_due ON public.outbox USING btree (due_at) WHERE (status = 'pending'::text);
CREATE INDEX outbox_to ON public.outbox USING btree (to_hash, id) WHERE (to_hash IS NOT NULL);
CREATE INDEX passkey_user ON public.passkey USING btree (user_id, id);
CREATE INDEX password_reset_maker ON public.password_reset USING btree (created_by, account_id);
CREATE UNIQUE INDEX password_reset_of_owner ON public.password_reset USING btree (user_id) WHERE (NOT by_mail);
CREATE INDEX password_reset_user ON public.password_reset USING btree (user_id);
CREATE INDEX platform_health_due ON public.platform_health USING btree (due_at);
CREATE INDEX platform_user_phone ON public.platform_user USING btree (account_id, phone_hash);
CREATE INDEX platform_user_seen ON public.platform_user USING btree (seen_at);
CREATE INDEX problem_opened ON public.problem USING btree (account_id, opened_at, id);
CREATE INDEX problem_resolved ON public.problem USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);
CREATE INDEX problem_site ON public.problem USING btree (site_id) WHERE (site_id IS NOT NULL);
CREATE UNIQUE INDEX problem_subject ON public.problem USING btree (account_id, kind, subject, COALESCE(site_id, '00000000-0000-0000-0000-000000000000'::uuid));
CREATE INDEX problem_notice_due ON public.problem_notice USING btree (channel_id, due_at) WHERE (told_at IS NULL);
CREATE INDEX recipient_turn_due ON public.recipient_turn USING btree (site_id, due_at) WHERE (owner IS NULL);
CREATE INDEX recipient_turn_owner ON public.recipient_turn USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX reconcile_due ON public.reconcile USING btree (due_at);
CREATE INDEX requested_event_account ON public.requested_event USING btree (account_id, kind, id);
CREATE INDEX requested_event_backfill ON public.requested_event USING btree (backfill_id, id) WHERE (backfill_id IS NOT NULL);
CREATE INDEX requested_event_due ON public.requested_event USING btree (due_at) WHERE (done_at IS NULL);
CREATE INDEX requested_event_of ON public.requested_event USING btree (site_id, replay_of, id);
CREATE UNIQUE INDEX requested_event_once ON public.requested_event USING btree (binding_id, replay_of) WHERE (kind = 'backfill'::text);
CREATE INDEX requested_event_operation ON public.requested_event USING btree (operation_id) WHERE ((operation_id IS NOT NULL) AND (NOT counted));
CREATE UNIQUE INDEX requested_event_request ON public.requested_event USING btree (account_id, request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX resend_job_open ON public.resend_job USING btree (worked_at) WHERE (finished_at IS NULL);
CREATE INDEX saved_view_creator ON public.saved_view USING btree (created_by);
CREATE UNIQUE INDEX saved_view_name ON public.saved_view USING btree (account_id, list, lower(name));
CREATE INDEX site_account ON public.site USING btree (account_id, id);
CREATE UNIQUE INDEX site_inbound_token ON public.site USING btree (inbound_token);
CREATE UNIQUE INDEX site_secret_current ON public.site_secret USING btree (site_id, kind) WHERE (expires_at IS NULL);
CREATE INDEX site_secret_site ON public.site_secret USING btree (site_id);
CREATE INDEX throttle_until ON public.throttle USING btree (until);
CREATE INDEX user_session_expires ON public.user_session USING btree (expires_at);
CREATE UNIQUE INDEX user_session_user ON public.user_session USING btree (user_id, handle);
CREATE INDEX waiting_message_cancel ON public.waiting_message USING btree (site_id, cancel_key) WHERE (cancel_key IS NOT NULL);
CREATE INDEX waiting_message_held ON public.waiting_message USING btree (account_id, held_for) WHERE (held_for IS NOT NULL);
CREATE INDEX waiting_message_in_doubt ON public.waiting_message USING btree (site_id, id) WHERE (doubts > 0);
CREATE INDEX waiting_message_owner ON public.waiting_message USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX waiting_message_queued ON public.waiting_message USING btree (site_id, queued_at, id);
CREATE INDEX waiting_message_recipient ON public.waiting_message USING btree (account_id, phone_hash, due_at, id);
CREATE INDEX waiting_message_restart ON public.waiting_message USING btree (site_id, restart_key) WHERE (restart_key IS NOT NULL);
CREATE INDEX webhook_account ON public.webhook USING btree (account_id, id);
CREATE INDEX webhook_site ON public.webhook USING btree (site_id, id);
CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (webhook_id, due_at) WHERE ((status = 'pending'::text) AND (owner IS NULL));
CREATE INDEX webhook_delivery_failed ON public.webhook_delivery USING btree (webhook_id, id) WHERE (status = 'failed'::text);
CREATE INDEX webhook_delivery_log ON public.webhook_delivery USING btree (webhook_id, id);
CREATE UNIQUE INDEX webhook_delivery_once ON public.webhook_delivery USING btree (notification_id, type, webhook_id) WHERE (notification_id IS NOT NULL);
CREATE INDEX webhook_delivery_owner ON public.webhook_delivery USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX webhook_delivery_phone ON public.webhook_delivery USING btree (phone_hash) WHERE (phone_hash IS NOT NULL);
CREATE INDEX webhook_delivery_site ON public.webhook_delivery USING btree (site_id, id);

CREATE TRIGGER bump BEFORE UPDATE ON public.account FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION bump_own_version();
CREATE TRIGGER note_change BEFORE UPDATE ON public.account FOR EACH ROW WHEN (((((((((((((((old.timezone IS DISTINCT FROM new.timezone) OR (old.payload_days IS DISTINCT FROM new.payload_days)) OR (old.log_days IS DISTINCT FROM new.log_days)) OR (old.require_second_factor IS DISTINCT FROM new.require_second_factor)) OR (old.require_sso IS DISTINCT FROM new.require_sso)) OR (old.dashboard_addresses IS DISTINCT FROM new.dashboard_addresses)) OR (old.token_addresses IS DISTINCT FROM new.token_addresses)) OR (old.encrypt_payloads IS DISTINCT FROM new.encrypt_payloads)) OR (old.messages_per_second IS DISTINCT FROM new.messages_per_second)) OR (old.retry_hours IS DISTINCT FROM new.retry_hours)) OR (old.stop_words IS DISTINCT FROM new.stop_words)) OR (old.start_words IS DISTINCT FROM new.start_words)) OR (old.opt_out_scope IS DISTINCT FROM new.opt_out_scope)) OR (new.updated_at = now()))) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_name BEFORE UPDATE OF name ON public.account FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change BEFORE UPDATE ON public.alert_channel FOR EACH ROW WHEN ((((old.name IS DISTINCT FROM new.name) OR (old.kinds IS DISTINCT FROM new.kinds)) OR (old.enabled IS DISTINCT FROM new.enabled))) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change BEFORE UPDATE ON public.alert_watch FOR EACH ROW WHEN (((((old.conditions)::text IS DISTINCT FROM (new.conditions)::text) OR ((old.quiet_hours)::text IS DISTINCT FROM (new.quiet_hours)::text)) OR (old.urgent_always IS DISTINCT FROM new.urgent_always))) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change BEFORE UPDATE ON public.assistant FOR EACH ROW WHEN ((new.updated_at = now())) EXECUTE FUNCTION note_change();
CREATE TRIGGER chain BEFORE INSERT ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
CREATE TRIGGER has_value AFTER INSERT ON public.audit_entry FOR EACH ROW WHEN ((new.values_digest IS NOT NULL)) EXECUTE FUNCTION require_audit_value();
CREATE TRIGGER note_head AFTER INSERT ON public.audit_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_audit_head();
CREATE TRIGGER has_entry AFTER INSERT ON public.audit_value FOR EACH ROW EXECUTE FUNCTION require_audit_entry();
CREATE TRIGGER make_operation AFTER INSERT ON public.backfill FOR EACH ROW EXECUTE FUNCTION make_operation();
CREATE TRIGGER bump_delete AFTER DELETE ON public.binding REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_sites();
CREATE TRIGGER bump_insert AFTER INSERT ON public.binding REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_sites();
CREATE TRIGGER bump_update AFTER UPDATE ON public.binding REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_both_sites();
CREATE TRIGGER drop_versions AFTER DELETE ON public.binding FOR EACH ROW EXECUTE FUNCTION drop_versions();
CREATE TRIGGER keep_version AFTER INSERT OR UPDATE ON public.binding FOR EACH ROW EXECUTE FUNCTION keep_binding_version();
CREATE TRIGGER note_change BEFORE UPDATE ON public.binding FOR EACH ROW WHEN ((new.updated_at = now())) EXECUTE FUNCTION note_change();
CREATE TRIGGER hold_shop_erasure BEFORE INSERT ON public.erasure FOR EACH ROW WHEN ((new.requested_by = 'shopify'::text)) EXECUTE FUNCTION hold_shop_erasure();
CREATE TRIGGER make_operation AFTER INSERT ON public.erasure FOR EACH ROW EXECUTE FUNCTION make_operation();
CREATE TRIGGER note_delete AFTER DELETE ON public.opt_out REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_opt_outs();
CREATE TRIGGER note_insert AFTER INSERT ON public.opt_out REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_opt_outs();
CREATE TRIGGER note_update AFTER UPDATE ON public.opt_out REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_opt_outs();
CREATE TRIGGER bump_delete AFTER DELETE ON public.platform_account REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER bump_insert AFTER INSERT ON public.platform_account REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER bump_update AFTER UPDATE ON public.platform_account REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER health_changed AFTER UPDATE ON public.platform_account FOR EACH ROW WHEN ((((((old.waba_id IS DISTINCT FROM new.waba_id) OR (old.phone_number_id IS DISTINCT FROM new.phone_number_id)) OR (old.access_token IS DISTINCT FROM new.access_token)) OR (old.app_id IS DISTINCT FROM new.app_id)) OR (old.app_secret IS DISTINCT FROM new.app_secret))) EXECUTE FUNCTION begin_platform_health();
CREATE TRIGGER health_new AFTER INSERT ON public.platform_account FOR EACH ROW EXECUTE FUNCTION begin_platform_health();
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF updated_at ON public.platform_account FOR EACH ROW EXECUTE FUNCTION note_change_of_account();
CREATE TRIGGER poll_changed AFTER UPDATE ON public.platform_account FOR EACH ROW WHEN ((((old.waba_id IS DISTINCT FROM new.waba_id) OR (old.phone_number_id IS DISTINCT FROM new.phone_number_id)) OR (old.access_token IS DISTINCT FROM new.access_token))) EXECUTE FUNCTION hurry_template_poll();
CREATE TRIGGER poll_new AFTER INSERT ON public.platform_account FOR EACH ROW EXECUTE FUNCTION hurry_template_poll();
CREATE TRIGGER note_number_limit AFTER UPDATE ON public.platform_health FOR EACH ROW WHEN ((old.full_until IS DISTINCT FROM new.full_until)) EXECUTE FUNCTION note_number_limit();
CREATE TRIGGER make_replay AFTER INSERT ON public.requested_event FOR EACH ROW WHEN (((new.kind = 'replay'::text) AND (new.operation_id IS NULL))) EXECUTE FUNCTION make_replay();
CREATE TRIGGER name_operation BEFORE INSERT ON public.requested_event FOR EACH ROW EXECUTE FUNCTION name_operation();
CREATE TRIGGER make_operation AFTER INSERT ON public.resend_job FOR EACH ROW WHEN ((new.finished_at IS NULL)) EXECUTE FUNCTION make_operation();
CREATE TRIGGER note_change BEFORE UPDATE ON public.saved_view FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR ((old.filter)::text IS DISTINCT FROM (new.filter)::text))) EXECUTE FUNCTION note_change();
CREATE TRIGGER bump BEFORE UPDATE ON public.site FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION bump_own_version();
CREATE TRIGGER note_change BEFORE UPDATE ON public.site FOR EACH ROW WHEN ((((((((((((((((old.name IS DISTINCT FROM new.name) OR (old.url IS DISTINCT FROM new.url)) OR (old.source_type IS DISTINCT FROM new.source_type)) OR (old.enabled IS DISTINCT FROM new.enabled)) OR (old.test_phone IS DISTINCT FROM new.test_phone)) OR (old.require_timestamp IS DISTINCT FROM new.require_timestamp)) OR (old.require_signed_timestamp IS DISTINCT FROM new.require_signed_timestamp)) OR (old.rate_limit_per_second IS DISTINCT FROM new.rate_limit_per_second)) OR (old.idempotency_hours IS DISTINCT FROM new.idempotency_hours)) OR (old.hold_messages IS DISTINCT FROM new.hold_messages)) OR (old.country IS DISTINCT FROM new.country)) OR (old.topic_map IS DISTINCT FROM new.topic_map)) OR (old.normalize_phones IS DISTINCT FROM new.normalize_phones)) OR (old.retry_after_answer IS DISTINCT FROM new.retry_after_answer)) OR (new.updated_at = now()))) EXECUTE FUNCTION note_change();
CREATE TRIGGER bump_delete AFTER DELETE ON public.site_recipient REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_sites();
CREATE TRIGGER bump_insert AFTER INSERT ON public.site_recipient REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_sites();
CREATE TRIGGER bump_update AFTER UPDATE ON public.site_recipient REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_both_sites();
CREATE TRIGGER note_change BEFORE UPDATE ON public.site_recipient FOR EACH ROW WHEN (((((old.site_id IS DISTINCT FROM new.site_id) OR (old.phone IS DISTINCT FROM new.phone)) OR (old.label IS DISTINCT FROM new.label)) OR (old.active IS DISTINCT FROM new.active))) EXECUTE FUNCTION note_change();
CREATE TRIGGER bump_delete AFTER DELETE ON public.site_secret FOR EACH ROW WHEN (((old.expires_at IS NULL) OR (old.expires_at > now()))) EXECUTE FUNCTION bump_site_of_secret();
CREATE TRIGGER bump_insert AFTER INSERT ON public.site_secret FOR EACH ROW EXECUTE FUNCTION bump_site_of_secret();
CREATE TRIGGER bump_update AFTER UPDATE ON public.site_secret FOR EACH ROW WHEN ((((old.key_hash IS DISTINCT FROM new.key_hash) OR (old.secret IS DISTINCT FROM new.secret)) OR (old.expires_at IS DISTINCT FROM new.expires_at))) EXECUTE FUNCTION bump_site_of_secret();
CREATE TRIGGER note_delete AFTER DELETE ON public.site_secret FOR EACH ROW WHEN (((old.kind = ANY (ARRAY['source_secret'::text, 'rest_key'::text])) AND (old.expires_at IS NULL))) EXECUTE FUNCTION note_change_of_site();
CREATE TRIGGER note_insert AFTER INSERT ON public.site_secret FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['source_secret'::text, 'rest_key'::text]))) EXECUTE FUNCTION note_change_of_site();
CREATE TRIGGER note_update AFTER UPDATE ON public.site_secret FOR EACH ROW WHEN (((new.kind = ANY (ARRAY['source_secret'::text, 'rest_key'::text])) AND (old.expires_at IS DISTINCT FROM new.expires_at))) EXECUTE FUNCTION note_change_of_site();
CREATE TRIGGER bump_delete AFTER DELETE ON public.template REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER bump_insert AFTER INSERT ON public.template REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER bump_update AFTER UPDATE ON public.template REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER drop_versions AFTER DELETE ON public.template FOR EACH ROW EXECUTE FUNCTION drop_versions();
CREATE TRIGGER keep_insert AFTER INSERT ON public.template FOR EACH ROW EXECUTE FUNCTION keep_template_version();
CREATE TRIGGER keep_lifetime AFTER UPDATE ON public.template FOR EACH ROW WHEN ((old.ttl_seconds IS DISTINCT FROM new.ttl_seconds)) EXECUTE FUNCTION keep_template_version();
CREATE TRIGGER keep_update AFTER UPDATE ON public.template FOR EACH ROW WHEN (((((old.name IS DISTINCT FROM new.name) OR (old.language IS DISTINCT FROM new.language)) OR (old.requested_category IS DISTINCT FROM new.requested_category)) OR ((old.definition)::text IS DISTINCT FROM (new.definition)::text))) EXECUTE FUNCTION keep_template_version();
CREATE TRIGGER note_change BEFORE UPDATE ON public.template FOR EACH ROW WHEN ((new.updated_at = now())) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_insert AFTER INSERT ON public.template FOR EACH ROW EXECUTE FUNCTION note_template_status();
CREATE TRIGGER note_update AFTER UPDATE ON public.template FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION note_template_status();
CREATE TRIGGER release_paused AFTER UPDATE ON public.template FOR EACH ROW WHEN (((new.status = 'approved'::text) AND ((old.status <> 'approved'::text) OR (new.told_at IS DISTINCT FROM old.told_at)))) EXECUTE FUNCTION release_paused();
CREATE TRIGGER bump_insert AFTER INSERT ON public.test_connection REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER bump_update AFTER UPDATE ON public.test_connection REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_accounts();
CREATE TRIGGER bump_delete AFTER DELETE ON public.webhook REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_sites();
CREATE TRIGGER bump_insert AFTER INSERT ON public.webhook REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION bump_sites();
CREATE TRIGGER bump_update AFTER UPDATE ON public.webhook FOR EACH ROW WHEN ((old.enabled <> new.enabled)) EXECUTE FUNCTION bump_site_of_secret();
CREATE TRIGGER note_change BEFORE UPDATE ON public.webhook FOR EACH ROW WHEN ((((old.url IS DISTINCT FROM new.url) OR (old.types IS DISTINCT FROM new.types)) OR (old.enabled IS DISTINCT FROM new.enabled))) EXECUTE FUNCTION note_change();
