import type { TemplateStatus } from "../../../core/template/definition.ts";
import type { Sql } from "../../connect.ts";

/** What the platform says about one template: null means nothing. */
export interface TemplateChange {
  platform_id: string | null;
  name: string | null;
  language: string | null;
  status: TemplateStatus | null;
  /** Belongs to `status`. */
  reason: string | null;
  category: string | null;
}

/**
 * Records what the platform says about templates, each in one of `changes` only, and answers how many it changed. A template is known by the
 * platform's id, and by name and language as long as one side lacks an id. A draft is none of the platform's business: a template of the same
 * name that was made elsewhere is not this one.
 */
export const applyPlatformUpdates = async (sql: Sql, accountId: string, changes: readonly TemplateChange[]): Promise<number> => {
  const rows = await sql<{ id: string }[]>`
    with input as (
      select i.platform_id, i.name, i.language, i.status, i.reason, i.category
      from json_to_recordset(${JSON.stringify(changes)}::text::json)
        as i(platform_id text, name text, language text, status text, reason text, category text)
    ),
    merged as (
      select t.id, coalesce(t.platform_id, i.platform_id) as platform_id, coalesce(i.status, t.status) as status,
        case when i.status is null then t.reason else i.reason end as reason, coalesce(i.category, t.category) as category
      from template t join input i on t.platform_id = i.platform_id
        or (t.name = i.name and t.language = i.language and (t.platform_id is null or i.platform_id is null))
      where t.account_id = ${accountId} and t.status <> 'draft'
      order by t.id
      for no key update of t
    )
    update template t set platform_id = m.platform_id, status = m.status, reason = m.reason, category = m.category, updated_at = now()
    from merged m
    where t.id = m.id and (t.platform_id, t.status, t.reason, t.category) is distinct from (m.platform_id, m.status, m.reason, m.category)
    returning t.id`;
  return rows.length;
};
