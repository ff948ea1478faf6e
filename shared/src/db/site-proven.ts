import { proofRefusals, type ProofFacts } from "../core/problem/proof.ts";
import type { RefusedBecause } from "../core/refused.ts";
import { type SourceType, sourceTypes } from "../core/site.ts";
import { headerNames, sources } from "../core/sources/sources.ts";
import { mostKept } from "./refused-request.ts";
import { type Sql, scalars } from "./statement.ts";

/** Further requests of a site with a valid proof. */
export interface ProvenRequests {
  site_id: string;
  requests: number;
  last_at: Date;
}

/** Counts them by minute. Of the minutes before, a quarter of an hour is kept; rows that another gateway deletes are skipped, so that neither waits. */
export const addProvenRequests = (sql: Sql, rows: readonly ProvenRequests[]) =>
  sql`
    with given as materialized (
      select r.site_id, r.requests, r.last_at
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(site_id uuid, requests integer, last_at timestamptz)
        join site s on s.id = r.site_id and s.deleted_at is null
      order by r.site_id
    ),
    added as (
      insert into site_proven (site_id, minute, requests, last_at) select site_id, date_trunc('minute', last_at), requests, last_at from given
      on conflict (site_id, minute) do update
        set requests = site_proven.requests + excluded.requests, last_at = greatest(site_proven.last_at, excluded.last_at)
    )
    delete from site_proven where (site_id, minute) in (
      select p.site_id, p.minute from given join site_proven p on p.site_id = given.site_id and p.minute < given.last_at - interval '15 minutes'
      for update of p skip locked)`;

/** The sites of the account, among these, that have had no valid request since. */
export const listUnproven = (sql: Sql, accountId: string, sites: readonly { id: string; since: string }[]) =>
  scalars(sql<{ id: string }[]>`
    select s.id from json_to_recordset(${JSON.stringify(sites)}::text::json) as asked(id uuid, since timestamptz) join site s on s.id = asked.id
    where s.account_id = ${accountId} and s.deleted_at is null
      and not exists (select from site_proven p where p.site_id = s.id and p.last_at > asked.since)`);

export const deleteProven = (sql: Sql, siteId: string) => sql`delete from site_proven where site_id = ${siteId}`;

/** A site with refused requests, and how its requests prove who sends them. */
export interface SiteProof extends ProofFacts {
  siteId: string;
  name: string;
  sourceType: SourceType;
  /** The last refused request's reason and those of its headers that are shown. */
  because: RefusedBecause;
  headers: Record<string, string>;
  /** The kinds of its valid secrets. */
  secrets: string[];
  /** Whether more requests may have been refused than were counted. */
  more: boolean;
}

/** Sources whose requests are always signed: one without any signature was not sent by such a shop, and counts for nothing. */
const signing = sourceTypes.filter((type) => sources[type].headers.signatures.length > 0);

/** The sites of the account that have refused requests for want of a proof since the last valid one, or in the last ten minutes, and since a person resolved that. */
export const readProofs = (sql: Sql, accountId: string) =>
  sql<SiteProof[]>`
    select s.id as "siteId", s.name, s.source_type as "sourceType", p.valid_at as "validAt", p.valid, r.refused, r.since, r.first_since as "firstSince",
      r.last_at as "lastRefused", r.more, n.because, n.headers,
      array(select k.kind from site_secret k where k.site_id = s.id and (k.expires_at is null or k.expires_at > now())) as secrets,
      (select coalesce(sum(b.requests), 0)::integer from site_proven b where b.site_id = s.id
        and b.minute > date_trunc('minute', r.first_at) and b.minute < date_trunc('minute', r.last_at)) as between,
      exists (select from problem p where p.account_id = s.account_id and p.kind = 'requests_refused' and p.subject = s.id::text
        and p.alerted and p.resolved_at > now() - interval '1 hour') as "endedLately"
    from site s
    cross join lateral (
      select max(last_at) as valid_at, coalesce(sum(requests) filter (where minute >= date_trunc('minute', now() - interval '10 minutes')), 0)::integer as valid,
        (select counted_from from problem where account_id = s.account_id and kind = 'requests_refused' and subject = s.id::text) as counted_from
      from site_proven where site_id = s.id
    ) p
    cross join lateral (
      select max(id::text)::uuid as last_id, max(at) as last_at, count(*) >= ${mostKept} as more,
        coalesce(sum(times) filter (where is_recent), 0)::integer as refused, min(at) filter (where is_recent) as first_at,
        coalesce(sum(times) filter (where is_since), 0)::integer as since, min(at) filter (where is_since) as first_since
      from (
        select id, uuid_time(id) as at, 1 + skipped as times, uuid_time(id) > now() - interval '10 minutes' as is_recent,
          p.valid_at is null or uuid_time(id) > p.valid_at as is_since
        from refused_request
        where site_id = s.id and id >= uuid_at(greatest(p.counted_from, least(coalesce(p.valid_at, 'epoch'), now() - interval '10 minutes')))
          and because = any(${[...proofRefusals]}::text[])
          and (s.source_type <> all(${signing}::text[]) or headers ?| ${headerNames.signatures}::text[])
        order by id desc limit ${mostKept}
      ) one
    ) r
    join refused_request n on n.site_id = s.id and n.id = r.last_id
    where s.account_id = ${accountId} and s.mode = 'live' and s.deleted_at is null
      and (r.since > 0 or r.refused > 0)
    order by s.id`;
