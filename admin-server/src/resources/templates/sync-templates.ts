import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/new-id";
import { databaseNow } from "shared/db/now";
import type { NewTemplate } from "shared/db/tables/template/insert";
import type { TemplateRow } from "shared/db/tables/template/row";
import { insertSyncedTemplates, lockTemplates, writeSyncedTemplates, type SyncedTemplate } from "shared/db/tables/template/sync";
import { inTransaction } from "shared/db/transaction";
import type { PlatformClient } from "shared/platform/client";
import type { PlatformCredentials } from "shared/platform/credentials";
import type { PlatformTemplate } from "shared/platform/template/platform-template";
import { listTemplates } from "shared/platform/templates";
import { mergeTemplate } from "./merge-template.ts";

export interface SyncCounts {
  imported: number;
  /** Of those that were here: how many changed. */
  updated: number;
}

/**
 * Takes over every template of the account's business account. Several may run at once.
 * @throws PlatformError
 */
export async function syncTemplates(
  sql: Sql,
  platform: PlatformClient,
  credentials: PlatformCredentials,
  accountId: string,
): Promise<SyncCounts> {
  const readFrom = await databaseNow(sql);
  const remote = await listByKey(platform, credentials);
  return await inTransaction(sql, (transaction) => takeOver(transaction, accountId, remote, readFrom));
}

async function listByKey(platform: PlatformClient, credentials: PlatformCredentials): Promise<Map<string, PlatformTemplate>> {
  const byKey = new Map<string, PlatformTemplate>();
  for await (const template of listTemplates(platform, credentials)) {
    // One that is being deleted stays in the list beside its successor.
    if (!byKey.has(keyOf(template)) || template.status !== "disabled") byKey.set(keyOf(template), template);
  }
  return byKey;
}

async function takeOver(sql: Sql, accountId: string, remote: Map<string, PlatformTemplate>, readFrom: Date): Promise<SyncCounts> {
  const rows = await lockTemplates(sql, accountId);
  const local = new Set(rows.map(keyOf));
  const added = [...remote].filter(([key]) => !local.has(key)).map(([, template]) => toRow(accountId, template));
  // Whatever was written since the list was read knew more: a callback, a submission, another sync. The next sync compares again.
  const older = rows.filter((row) => row.updated_at <= readFrom);
  const changed = older.map((row) => {
    const template = remote.get(keyOf(row));
    if (template !== undefined) return mergeTemplate(row, template);
    return row.platform_id === null || wasSubmittedLately(row, readFrom) ? null : backToDraft(row);
  });
  const updates = changed.filter((row) => row !== null);
  const imported = await insertSyncedTemplates(sql, added);
  await writeSyncedTemplates(sql, updates);
  return { imported, updated: updates.length };
}

/** What the platform keeps apart, and never changes. */
const keyOf = ({ name, language }: { name: string; language: string }): string => `${name} ${language}`;

/** The platform's list may lag behind what it has accepted. */
const wasSubmittedLately = ({ status, updated_at }: TemplateRow, readFrom: Date): boolean =>
  status === "pending" && readFrom.getTime() - updated_at.getTime() < listLagMs;

const listLagMs = 10 * 60_000;

/** Nobody can send it now, but it can be submitted again, or deleted. */
const backToDraft = ({ id, category, definition }: TemplateRow): SyncedTemplate => ({
  id,
  platform_id: null,
  category,
  status: "draft",
  reason: "It is no longer on the platform. Submit it again, or delete it here.",
  definition,
});

const toRow = (accountId: string, { platformId, name, language, category, status, reason, definition }: PlatformTemplate): NewTemplate => ({
  id: newId(),
  account_id: accountId,
  platform_id: platformId,
  name,
  language,
  category,
  status,
  reason,
  definition,
});
