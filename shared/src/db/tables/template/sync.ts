import type { Sql } from "../../connect.ts";
import { storableJson } from "../../storable-json.ts";
import type { NewTemplate } from "./insert.ts";
import { templateColumns, type TemplateRow } from "./row.ts";

/**
 * Every template of the account, held until the transaction ends. Those who sync at the same time take turns. The account's own row is not what they wait
 * for: whoever writes a template holds it after the template's, and the two orders would lock each other out.
 */
export async function lockTemplates(sql: Sql, accountId: string): Promise<TemplateRow[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`template-sync ${accountId}`}, 0))`;
  return await sql<TemplateRow[]>`
    select ${templateColumns(sql)} from template where account_id = ${accountId} order by id for no key update`;
}

/** Adds the platform's templates, but for those that somebody has made here in the meantime; how many were added. */
export async function insertSyncedTemplates(sql: Sql, templates: readonly NewTemplate[]): Promise<number> {
  if (templates.length === 0) return 0;
  const rows = await sql`
    insert into template (id, account_id, platform_id, name, language, category, status, reason, definition, synced_at)
    select id, account_id, platform_id, name, language, category, status, reason, definition, now()
    from json_to_recordset(${storableJson(templates)}::text::json) as t(id uuid, account_id uuid, platform_id text, name text, language text,
      category text, status text, reason text, definition json)
    on conflict (account_id, name, language) do nothing
    returning id`;
  return rows.length;
}

/** What a sync may change of a template that is here already. */
export type SyncedTemplate = Pick<TemplateRow, "id" | "platform_id" | "category" | "status" | "reason" | "definition">;

/** Writes templates that are held (`lockTemplates`). */
export async function writeSyncedTemplates(sql: Sql, templates: readonly SyncedTemplate[]): Promise<void> {
  if (templates.length === 0) return;
  await sql`
    update template set platform_id = t.platform_id, category = t.category, status = t.status, reason = t.reason, definition = t.definition,
      synced_at = now(), updated_at = now()
    from json_to_recordset(${storableJson(templates)}::text::json) as t(id uuid, platform_id text, category text, status text, reason text, definition json)
    where template.id = t.id`;
}
