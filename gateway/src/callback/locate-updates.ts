import type { Sql } from "shared/db/connect";
import { findByWaMessageIds } from "shared/db/notification/log";
import type { StatusUpdate } from "shared/platform/callback";
import { parseReference } from "shared/platform/client";
import type { LocatedUpdate } from "./merge-statuses.ts";

/**
 * Finds the notification of each update: by the reference that we sent along, which is there before the platform's id is known to us; by that id
 * where a reference is missing. Updates of messages that are not ours are left out. At most one statement.
 */
export const locateUpdates = async (sql: Sql, accountId: string, updates: readonly StatusUpdate[]): Promise<LocatedUpdate[]> => {
  const located: LocatedUpdate[] = [];
  const others: StatusUpdate[] = [];
  for (const update of updates) {
    const reference = parseReference(update.reference);
    if (reference === null) others.push(update);
    else located.push({ ...reference, update });
  }
  return [...located, ...(await locateByPlatformId(sql, accountId, others))];
};

const locateByPlatformId = async (sql: Sql, accountId: string, updates: readonly StatusUpdate[]): Promise<LocatedUpdate[]> => {
  if (updates.length === 0) return [];
  const rows = await findByWaMessageIds(sql, accountId, [...new Set(updates.map((update) => update.waMessageId))]);
  const byId = new Map(rows.map((row) => [row.wa_message_id, row]));
  return updates.flatMap((update) => {
    const row = byId.get(update.waMessageId);
    return row === undefined ? [] : [{ siteId: row.site_id, notificationId: row.id, attempt: row.attempt, update }];
  });
};
