import { mergeTemplate } from "shared/core/template/draft";
import { type Sql, databaseNow } from "shared/db/connect";
import { newId } from "shared/db/ids";
import {
  type TemplateRow,
  insertSyncedTemplates,
  lockTemplates,
  writeSyncedTemplates,
  type ImportedTemplate,
  type SyncedTemplate,
} from "shared/db/template";
import { inTransaction } from "shared/db/transaction";
import type { PlatformCredentials, PlatformClient } from "shared/platform/client";
import type { ManagementClient } from "shared/platform/management-client";
import type { PlatformTemplate } from "shared/platform/template-json";
import { listTemplates } from "shared/platform/templates";
import type { AdminContext } from "../context.ts";
import { refreshMedia } from "./media.ts";

/** Between two reads of an account's templates. */
export const pollPeriodSeconds = 3_600;

/**
 * Brings the account's templates up to what the platform has, and the platform up to the files that they send.
 * @throws PlatformError of the templates; a file that fails is tried again with the next.
 */
export async function syncAccount(
  { sql, config, log }: Pick<AdminContext, "sql" | "config" | "log">,
  management: ManagementClient,
  credentials: PlatformCredentials,
  { accountId, source }: { accountId: string; source: "sync" | "poll" },
): Promise<SyncCounts> {
  const counts = await syncTemplates(sql, management, credentials, accountId, source);
  await refreshMedia({ sql, management, allowed: config.allowPrivate }, credentials, accountId, (error, templateId) =>
    log.warn({ err: error, accountId, templateId }, "the file of a template's header was not uploaded"),
  );
  return counts;
}

export interface SyncCounts {
  imported: number;
  /** Of those that were here: how many changed. */
  updated: number;
}

/**
 * Takes over every template of the account's business account. Several may run at once.
 * @throws PlatformError
 */
async function syncTemplates(
  sql: Sql,
  platform: PlatformClient,
  credentials: PlatformCredentials,
  accountId: string,
  source: "sync" | "poll",
): Promise<SyncCounts> {
  const readFrom = await databaseNow(sql);
  const remote = await listByKey(platform, credentials);
  return await inTransaction(sql, async (transaction) => {
    const rows = await lockTemplates(transaction, accountId);
    const local = new Set(rows.map(keyOf));
    const added = [...remote].filter(([key]) => !local.has(key)).map(([, template]) => toRow(accountId, template));
    const updates = changesOf(rows, remote, readFrom);
    const imported = await insertSyncedTemplates(transaction, added, source);
    await writeSyncedTemplates(transaction, updates, source);
    return { imported, updated: updates.length };
  });
}

async function listByKey(platform: PlatformClient, credentials: PlatformCredentials): Promise<Map<string, PlatformTemplate>> {
  const byKey = new Map<string, PlatformTemplate>();
  for await (const template of listTemplates(platform, credentials)) {
    // One that is being deleted stays in the list beside its successor.
    if (!byKey.has(keyOf(template)) || template.status !== "disabled") byKey.set(keyOf(template), template);
  }
  return byKey;
}

function changesOf(rows: readonly TemplateRow[], remote: Map<string, PlatformTemplate>, readFrom: Date): SyncedTemplate[] {
  // Whatever was written since the list was read knew more: a callback, a submission, another sync. The next sync compares again.
  const older = rows.filter((row) => row.updated_at <= readFrom);
  return older.flatMap((row) => {
    const template = remote.get(keyOf(row));
    const merged = template === undefined ? withoutPlatform(row, readFrom) : mergeTemplate(row, { ...template, toldAt: null });
    return merged === null ? [] : [{ id: row.id, ...merged }];
  });
}

/** What the platform keeps apart, and never changes. */
const keyOf = ({ name, language }: { name: string; language: string }): string => `${name} ${language}`;

/** Nobody can send it now, but it can be submitted again, or deleted. Null for one that the platform need not list. */
function withoutPlatform(row: TemplateRow, readFrom: Date): Omit<SyncedTemplate, "id"> | null {
  const { platform_id, category, quality, definition, status, updated_at } = row;
  // The platform's list may lag behind what it has accepted.
  const wasSubmittedLately = status === "pending" && readFrom.getTime() - updated_at.getTime() < listLagMs;
  if (platform_id === null || wasSubmittedLately) return null;
  const reason = "It is no longer on the platform. Submit it again, or delete it here.";
  return { platform_id: null, category, status: "draft", reason, quality, told_at: null, definition };
}

const listLagMs = 10 * 60_000;

const toRow = (accountId: string, { platformId, ...template }: PlatformTemplate): ImportedTemplate => ({
  ...template,
  id: newId(),
  account_id: accountId,
  platform_id: platformId,
});
