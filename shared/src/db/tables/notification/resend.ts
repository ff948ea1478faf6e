import type { TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";

/** A message that somebody wants to have sent again, and what stands in the way. */
export interface ResendCandidate {
  id: string;
  site_id: string;
  event_id: string;
  binding_id: string;
  template_id: string;
  template: string;
  language: string;
  to_phone: string;
  components: string;
  /** Null unless it failed. */
  error_code: string | null;
  error_detail: string | null;
  resent_as: string | null;
  /** The template's now; null when it is gone. */
  template_status: TemplateStatus | null;
  /** Null when the site was deleted. */
  site_enabled: boolean | null;
  /** The account has a platform to send by. */
  connected: boolean;
  timezone: string;
  /** False while its event's own messages are still being sent. */
  answered: boolean;
}

/** A message that repeats another. */
export interface Resend {
  /** The one that failed. */
  of: string;
  /** The new one. */
  id: string;
  template_id: string;
  template: string;
  language: string;
  /** JSON. */
  components: string;
}

/**
 * The account's messages among `ids`, held until the transaction ends: whoever else wants to send them again waits, as does whoever is about to finish
 * their events. Events first and in order, as everywhere.
 */
export async function holdResendCandidates(sql: Sql, accountId: string, ids: readonly string[]): Promise<ResendCandidate[]> {
  const mine = sql`site_id = any(array(select id from site where account_id = ${accountId}))`;
  await sql`
    select from event where ${mine} and id = any(array(select event_id from notification where ${mine} and id = any(${[...ids]}::uuid[])))
    order by site_id, id for update`;
  return await sql<ResendCandidate[]>`
    select n.id, n.site_id, n.event_id, n.binding_id, n.template_id, n.template, n.language, n.to_phone, n.components, n.error_code,
      case when octet_length(n.error_detail) <= 10000 then n.error_detail end as error_detail, n.resent_as,
      (select t.status from template t where t.id = n.template_id and t.account_id = n.account_id) as template_status,
      case when s.deleted_at is null then s.enabled end as site_enabled, a.timezone,
      exists (select from platform_account p where p.account_id = a.id) as connected,
      coalesce((select e.chat is not null from event e where e.site_id = n.site_id and e.id = n.event_id), false) as answered
    from notification n join site s on s.id = n.site_id join account a on a.id = s.account_id
    where n.${mine} and n.id = any(${[...ids]}::uuid[])
    order by n.id`;
}

/**
 * Adds the repeats, each once for what it repeats, and opens their events again: as an event that nobody works on any more it is taken up by a gateway
 * within a second, and by another if that one dies. `owner`: a new id, so that nobody who worked on the event before may finish it. Answers the ids of
 * the messages that are repeated now. Only after `holdResendCandidates`.
 */
export async function insertResends(sql: Sql, accountId: string, owner: string, resends: readonly Resend[]): Promise<Set<string>> {
  const ids = resends.map(({ of }) => of).toSorted();
  const rows = await sql<{ id: string }[]>`
    with repeated as (
      update notification n set resent_as = r.id
      from json_to_recordset(${JSON.stringify(resends)}::text::json) as r(of uuid, id uuid, template_id uuid, template text, language text, components text)
      where n.site_id = any(array(select id from site where account_id = ${accountId})) and n.id = any(${ids}::uuid[])
        and n.id >= ${ids[0] ?? null}::uuid and n.id <= ${ids.at(-1) ?? null}::uuid
        and n.id::text = r.of::text and n.resent_as is null and n.error_code is not null
      returning n.id as of, n.site_id, n.account_id, n.event_id, n.event, n.binding_id, n.to_phone, n.position,
        r.id, r.template_id, r.template, r.language, r.components
    ),
    added as (
      insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status,
        components, resend_of)
      select id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, 'queued', components, of
      from repeated
    ),
    opened as (
      update event e set owner = ${owner}, lease_until = now()
      where e.site_id = any(array(select site_id from repeated)) and e.id = any(array(select event_id from repeated)) and e.lease_until is null
    )
    select of as id from repeated`;
  return new Set(rows.map(({ id }) => id));
}
