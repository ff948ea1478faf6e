-- One list of what is wrong with an account. Each problem is found by one watch, counted on, and resolved by itself once its cause is gone. The table of
-- alerts stays for an earlier version that runs beside: of the kinds that it knows, each problem has an alert with the same id, so that neither tells twice.

create table problem (
  id uuid primary key,                             -- carries when it was found first
  account_id uuid not null references account on delete cascade,
  kind text not null,
  site_id uuid references site on delete cascade,  -- null: the account
  subject text not null,                           -- what it is about, such as an id or a code; empty: the account
  detail json not null,                            -- nothing of a payload or a person
  count integer not null default 0,                -- messages, events or requests, each in one problem
  more boolean not null default false,             -- there may be others than those that were counted
  first_at timestamptz not null,                   -- what was made before does not count
  last_at timestamptz not null,
  state text not null default 'open' check (state in ('open', 'acknowledged', 'snoozed', 'resolved')),
  snoozed_until timestamptz,
  acknowledged_by text,
  note text,
  opened_at timestamptz not null default now(),
  resolved_at timestamptz,
  counted_from timestamptz,                        -- when somebody resolved it: what was made before does not count again
  alerted boolean not null default false,          -- it was told of when it opened
  check ((resolved_at is not null) = (state = 'resolved')),
  check ((snoozed_until is not null) = (state = 'snoozed'))
);
create unique index problem_subject on problem (account_id, kind, subject, coalesce(site_id, '00000000-0000-0000-0000-000000000000'));
create index problem_opened on problem (account_id, opened_at, id);
create index problem_site on problem (site_id) where site_id is not null;
create index problem_resolved on problem (resolved_at) where resolved_at is not null;

-- That a channel is to be told of a problem, or of its end. What falls due together is told in one message.
create table problem_notice (
  problem_id uuid not null references problem on delete cascade on update cascade,
  channel_id uuid not null references alert_channel on delete cascade,
  cleared boolean not null,
  due_at timestamptz not null,
  told_at timestamptz,
  primary key (problem_id, channel_id, cleared)
);
create index problem_notice_due on problem_notice (channel_id, due_at) where told_at is null;

alter table alert_channel add column name text not null default '';
alter table alert_channel add column kinds text[];                   -- null: all but those that are told only where they are chosen
alter table alert_channel drop constraint alert_channel_kind_check;
alter table alert_channel add constraint alert_channel_kind_check check (kind in ('email', 'slack', 'webhook', 'teams', 'pagerduty'));
-- An earlier version tells nothing to a channel that has to be confirmed, and so nothing to those of kinds that it does not know: their hash fits no link.
alter table alert_channel drop constraint alert_channel_check1;
alter table alert_channel add constraint alert_channel_confirmed check (case when kind in ('teams', 'pagerduty') then confirm_hash is not null else kind = 'email' or confirm_hash is null end);

alter table alert_watch add column looked_at timestamptz;            -- the begin of the last look that found what is wrong
alter table alert_watch add column weekly boolean not null default false;
alter table alert_watch add column week_told date;                   -- the Monday of the last week whose figures were mailed

-- Takes the alerts of an earlier version as problems of the same ids, with the notices of them, so that their ends are told of once.
create function adopt_alerts(of_account uuid) returns void language sql as $$
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
$$;

select adopt_alerts(id) from account;
