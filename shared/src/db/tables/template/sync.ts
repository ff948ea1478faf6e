import type { StoredTemplate } from "../../../core/template/merge-template.ts";
import type { Sql } from "../../connect.ts";
import { storableJson } from "../../storable-json.ts";
import { templateColumns, type StatusSource, type TemplateRow } from "./row.ts";

/**
 * Every template of the account, held until the transaction ends. Those who sync at the same time take turns. The account's own row is not what they wait
 * for: whoever writes a template holds it after the template's, and the two orders would lock each other out.
 */
export async function lockTemplates(sql: Sql, accountId: string): Promise<TemplateRow[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`template-sync ${accountId}`}, 0))`;
  return await sql<TemplateRow[]>`
    select ${templateColumns(sql)} from template where account_id = ${accountId} order by id for no key update`;
}

/** What names a template in a callback. */
export interface TemplateName {
  platform_id: string | null;
  name: string | null;
  language: string | null;
}

/**
 * The templates that `names` speak of, each with the place of its name, held until the transaction ends. A template is known by the platform's id, and by
 * name and language as long as one side lacks an id. A draft that nobody is submitting is none of the platform's business: a template of the same name
 * that was made elsewhere is not this one.
 */
export const lockNamedTemplates = (sql: Sql, accountId: string, names: readonly TemplateName[]) =>
  sql<(TemplateRow & { place: number })[]>`
    select told.place::integer - 1 as place, ${templateColumns(sql)}
    from template t join rows from (
      json_to_recordset(${storableJson(names)}::text::json) as (platform_id text, name text, language text)
    ) with ordinality as told(told_id, told_name, told_language, place)
      on t.platform_id = told_id or (t.name = told_name and t.language = told_language and (t.platform_id is null or told_id is null))
    where t.account_id = ${accountId} and (t.status <> 'draft' or t.submitting_at > now() - interval '15 minutes')
    order by t.id
    for no key update of t`;

/** What the platform has and nobody made here. */
export type ImportedTemplate = Pick<TemplateRow, "id" | "account_id" | "name" | "language"> & Omit<StoredTemplate, "told_at">;

/** Adds the platform's templates, but for those that somebody has made here in the meantime; how many were added. */
export async function insertSyncedTemplates(sql: Sql, templates: readonly ImportedTemplate[], source: StatusSource): Promise<number> {
  if (templates.length === 0) return 0;
  const rows = await sql`
    insert into template (id, account_id, platform_id, name, language, category, status, reason, quality, definition, quality_at, synced_at, status_source)
    select id, account_id, platform_id, name, language, category, status, reason, quality, definition,
      case when quality is not null then now() end, now(), ${source}
    from json_to_recordset(${storableJson(templates)}::text::json) as t(id uuid, account_id uuid, platform_id text, name text, language text,
      category text, status text, reason text, quality text, definition json)
    on conflict (account_id, name, language) do nothing
    returning id`;
  return rows.length;
}

/** What the platform may change of a template that is here already. */
export type SyncedTemplate = StoredTemplate & { id: string };

/** Writes templates that are held (`lockTemplates`, `lockNamedTemplates`). */
export async function writeSyncedTemplates(sql: Sql, templates: readonly SyncedTemplate[], source: StatusSource): Promise<void> {
  if (templates.length === 0) return;
  await sql`
    update template set platform_id = t.platform_id, category = t.category, reason = t.reason, definition = t.definition, told_at = t.told_at,
      status = t.status, status_source = case when template.status = t.status then template.status_source else ${source} end,
      quality = t.quality, quality_at = case when template.quality is not distinct from t.quality then template.quality_at else now() end,
      synced_at = now(), updated_at = now()
    from json_to_recordset(${storableJson(templates)}::text::json) as t(id uuid, platform_id text, category text, status text, reason text,
      quality text, told_at timestamptz, definition json)
    where template.id = t.id`;
}
