import { mergeTemplate } from "shared/core/template/draft";
import { databaseNow } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { type Sql, inTransaction } from "shared/db/statement";
import {
  type TemplateRow,
  insertSyncedTemplates,
  lockTemplates,
  writeSyncedTemplates,
  type ImportedTemplate,
  type SyncedTemplate,
} from "shared/db/template";
import type { PlatformCredentials, PlatformClient } from "shared/platform/client";
import type { ManagementClient } from "shared/platform/management-client";
import type { PlatformTemplate } from "shared/platform/template-json";
import { listTemplates } from "shared/platform/templates";
import type { AdminContext } from "../context.ts";
import { refreshMedia } from "./media.ts";

/** The time between two syncs of an account's templates. */
export const pollPeriodSeconds = 3_600;

/**
 * Takes over the platform's templates, then renews their uploaded files. Several may run at once.
 * @throws PlatformError for the templates; a file that fails is retried with the next sync
 */
export async function syncAccount(
  context: Pick<AdminContext, "sql" | "config" | "log">,
  management: ManagementClient,
  credentials: PlatformCredentials,
  // `record` writes the audit entry in the transaction of the changes.
  { accountId, source, record }: { accountId: string; source: "sync" | "poll"; record?: (sql: Sql) => Promise<void> },
) {
  const { sql, log } = context;
  const readFrom = await databaseNow(sql);
  const remote = await listByKey(management, credentials);
  const counts = await inTransaction(sql, async (transaction) => {
    await record?.(transaction);
    const rows = await lockTemplates(transaction, accountId);
    const local = new Set(rows.map(keyOf));
    const added = [...remote].filter(([key]) => !local.has(key)).map(([, template]) => toRow(accountId, template));
    const updates = changesOf(rows, remote, readFrom);
    const imported = await insertSyncedTemplates(transaction, added, source);
    await writeSyncedTemplates(transaction, updates, source);
    return { imported, updated: updates.length };
  });
  await refreshMedia({ ...context, management }, credentials, accountId, (error, templateId) =>
    log.warn({ err: error, accountId, templateId }, "the file of a template's header was not uploaded"),
  );
  return counts;
}

async function listByKey(platform: PlatformClient, credentials: PlatformCredentials): Promise<Map<string, PlatformTemplate>> {
  const byKey = new Map<string, PlatformTemplate>();
  for await (const template of listTemplates(platform, credentials)) {
    // A template that is being deleted stays listed beside its successor.
    if (!byKey.has(keyOf(template)) || template.status !== "disabled") byKey.set(keyOf(template), template);
  }
  return byKey;
}

function changesOf(rows: readonly TemplateRow[], remote: Map<string, PlatformTemplate>, readFrom: Date): SyncedTemplate[] {
  // Rows written since the list was read (by a callback, a submission, another sync) are newer than the list. The next sync compares them.
  const older = rows.filter(({ updated_at, synced_at }) => updated_at <= readFrom && (synced_at === null || synced_at <= readFrom));
  return older.flatMap((row) => {
    const template = remote.get(keyOf(row));
    const merged = template === undefined ? withoutPlatform(row, readFrom) : mergeTemplate(row, { ...template, toldAt: null });
    return merged === null ? [] : [{ id: row.id, ...merged }];
  });
}

/** The platform's own key of a template, which never changes. */
const keyOf = ({ name, language }: { name: string; language: string }): string => `${name} ${language}`;

/** The row of a template that the platform no longer lists: a draft again. Null for a template that the platform need not list. */
function withoutPlatform(row: TemplateRow, readFrom: Date): Omit<SyncedTemplate, "id"> | null {
  const { platform_id, category, quality, definition, ttl_seconds, source, status, updated_at } = row;
  // The platform's list may lag behind its accepted submissions.
  const wasSubmittedLately = status === "pending" && readFrom.getTime() - updated_at.getTime() < listLagMs;
  if (platform_id === null || wasSubmittedLately) return null;
  const reason = "WhatsApp no longer has this template. Submit it again, or delete it here.";
  return { platform_id: null, category, status: "draft", reason, quality, told_at: null, ttl_seconds, source, definition, ...noUpcoming };
}

const noUpcoming = { upcoming_category: null, upcoming_at: null };
const listLagMs = 10 * 60_000;

const toRow = (accountId: string, { platformId, upcoming, ttlSeconds = null, ...template }: PlatformTemplate): ImportedTemplate => ({
  ...template,
  upcoming_category: upcoming == null || upcoming.category === template.category ? null : upcoming.category,
  id: newId(),
  account_id: accountId,
  platform_id: platformId,
  ttl_seconds: ttlSeconds,
});
