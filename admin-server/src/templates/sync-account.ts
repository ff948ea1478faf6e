import type { PlatformCredentials } from "shared/platform/client";
import type { ManagementClient } from "shared/platform/management-client";
import type { AdminContext } from "../context.ts";
import { refreshMedia } from "./refresh-media.ts";
import { syncTemplates, type SyncCounts } from "./sync-templates.ts";

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
