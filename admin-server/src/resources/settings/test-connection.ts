import { resumeAccount } from "shared/db/platform-account";
import { testConnection as askPlatform, type ConnectionTest } from "shared/platform/connection-check";
import type { AdminContext } from "../../context.ts";
import { platformCredentials } from "../../platform/credentials.ts";
import type { Caller } from "../../session/caller.ts";

/** Asks the platform whether the stored credentials are good; if they are, an account that was stopped may send again. */
export async function testConnection(context: AdminContext, { accountId }: Caller): Promise<ConnectionTest> {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null) return { ok: false, error: "No platform account is connected: enter its credentials first" };
  const result = await askPlatform(context.platform, credentials);
  if (result.ok) await resumeAccount(context.sql, accountId);
  return result;
}
