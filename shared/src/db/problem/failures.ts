import type { FailureKind } from "../../core/problem/rule.ts";
import { hasDropCode, isNewest } from "../notification/statuses.ts";
import type { Sql } from "../statement.ts";

/** The failed messages of one problem. */
export interface FailedRow {
  kind: FailureKind;
  /** Null for what concerns the account. */
  siteId: string | null;
  subject: string;
  /** How many failed with each code. */
  codes: Record<string, number>;
  count: number;
  /** Those that were made in the last hour. */
  ofHour: number;
  more: boolean;
  lastId: string;
  /** The site and the code of the last one. */
  lastSite: string;
  lastCode: string;
  firstFailedAt: Date;
  lastFailedAt: Date;
}

/** Since when a problem counts: when its own first message failed, or when a person has resolved it. */
export interface Start {
  kind: string;
  site_id: string | null;
  subject: string;
  is_open: boolean;
  since: Date;
  /** When a person resolved it last: what failed before does not count; null: never. */
  failed_from: Date | null;
}

export interface Counting {
  /** The codes of each kind that stands for several; all others are `messages_failed`. */
  codes: Record<Exclude<FailureKind, "messages_failed">, readonly string[]>;
  /** Codes of messages that are part of no problem. */
  none: readonly string[];
  starts: readonly Start[];
  /** When the account stopped; null while it is not. */
  stoppedAt: Date | null;
  /** The most failed messages of a site that are looked at, the newest. */
  most: number;
}

/**
 * Counts the failed messages of each problem, as the log shows them, without tests, by when they failed, whenever they were made. One that is not open yet
 * counts those of the last day (a stop: since then; what the platform refused may have failed shortly before it was noted). Messages of deleted sites are part
 * of what concerns the account, as in its lists. An index holds all that is read of them. (With `not` PostgreSQL would expect hardly any row, and sort them all.)
 * What failed before all that may count is left out early: to tell its kind costs more than to read it.
 */
export const countFailures = (sql: Sql, accountId: string, { codes, none, starts, stoppedAt, most }: Counting) =>
  sql<FailedRow[]>`
    with start as materialized (
      select s.kind, s.site_id, s.subject, s.is_open, s.since, s.failed_from from json_to_recordset(${JSON.stringify(starts)}::text::json)
        as s(kind text, site_id uuid, subject text, is_open boolean, since timestamptz, failed_from timestamptz)
    ),
    looked as materialized (
      select n.id, n.of_site, n.template_id, n.binding_id, n.error_code, n.failed_at, site.deleted_at is not null as is_gone, count(*) over (partition by n.of_site) >= ${most} as more from site cross join lateral (
        select id, site.id as of_site, template_id, binding_id, error_code, coalesce(failed_at, uuid_time(id)) as failed_at
        from notification
        where site_id = site.id and error_code is not null and (${sql.unsafe(hasDropCode("notification"))}) is not true and ${sql.unsafe(isNewest("notification"))} and not test
        order by id desc limit ${most}
      ) n
      where site.account_id = ${accountId} and site.mode = 'live'
    ),
    earliest as (
      select least(now() - interval '1 day', ${stoppedAt}::timestamptz - interval '1 minute', min(since)) as at from start
      where is_open and kind in ('platform_stopped', 'template_refused', 'binding_cannot_send', 'messages_failed')
    ),
    kinds as (
      select id, of_site, template_id, binding_id, error_code, failed_at, more, is_gone, case when error_code = any(${[...codes.platform_stopped]}::text[]) then 'platform_stopped'
        when error_code = any(${[...codes.template_refused]}::text[]) then 'template_refused'
        when error_code = any(${[...codes.binding_cannot_send]}::text[]) then 'binding_cannot_send' else 'messages_failed' end as kind
      from looked where error_code <> all(${[...none]}::text[]) and failed_at >= (select earliest.at from earliest)
    ),
    keyed as (
      select id, of_site, error_code, failed_at, more, kind, case when kind in ('binding_cannot_send', 'messages_failed') then of_site end as key_site,
        case kind when 'platform_stopped' then '' when 'template_refused' then template_id::text when 'binding_cannot_send' then binding_id::text else error_code end as subject
      from kinds where not (is_gone and kind in ('binding_cannot_send', 'messages_failed'))
    ),
    placed as (
      select k.id, k.of_site, k.error_code, k.failed_at, k.more, k.kind, k.key_site, k.subject
      from keyed k left join start s on s.kind = k.kind and s.subject = k.subject and s.site_id is not distinct from k.key_site
      -- The platform tells whole seconds.
      where (s.failed_from is null or k.failed_at >= s.failed_from or k.failed_at = date_trunc('second', s.failed_from))
        and case when s.is_open then k.failed_at >= s.since
          else k.failed_at > case k.kind when 'platform_stopped' then ${stoppedAt}::timestamptz - interval '1 minute' else now() - interval '1 day' end
            and (s.since is null or k.failed_at >= s.since or k.failed_at = date_trunc('second', s.since)) end
    )
    select kind, key_site as "siteId", subject, json_object_agg(error_code, count order by error_code) as codes, sum(count)::integer as count,
      bool_or(more) as more, sum(of_hour)::integer as "ofHour", max(last_id) as "lastId", min(first_failed_at) as "firstFailedAt", max(last_failed_at) as "lastFailedAt",
      (array_agg(last_site order by last_id desc))[1] as "lastSite", (array_agg(error_code order by last_id desc))[1] as "lastCode"
    from (
      select kind, key_site, subject, error_code, count(*)::integer as count, bool_or(more) as more,
        count(*) filter (where id >= uuid_at(now() - interval '1 hour')) as of_hour,
        max(id::text) as last_id, (array_agg(of_site order by id desc))[1] as last_site, min(failed_at) as first_failed_at, max(failed_at) as last_failed_at
      from placed group by kind, key_site, subject, error_code
    ) c
    group by kind, key_site, subject`;

/** The stored reasons of these failed messages, as they are stored. */
export const listReasons = (sql: Sql, messages: readonly { site_id: string; id: string }[]) =>
  sql<{ id: string; error_code: string; error_reason: string | null }[]>`
    select n.id, n.error_code, n.error_reason from json_to_recordset(${JSON.stringify(messages)}::text::json) as m(site_id uuid, id uuid)
    join notification n on n.site_id = m.site_id and n.id = m.id`;
