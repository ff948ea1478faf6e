import type { Sql } from "shared/db/connect";
import { findPlatformCredentials } from "shared/db/tables/platform-account/find";
import type { PlatformCredentials } from "shared/platform/credentials";
import type { Vault } from "shared/vault/vault";

/** What the account's calls to the platform take; undefined while it is not connected. */
export async function openCredentials({ sql, vault }: { sql: Sql; vault: Vault }, accountId: string): Promise<PlatformCredentials | undefined> {
  const row = await findPlatformCredentials(sql, accountId);
  return (
    row && {
      apiVersion: row.api_version,
      wabaId: row.waba_id,
      phoneNumberId: row.phone_number_id,
      accessToken: vault.decrypt(row.access_token),
      appId: row.app_id,
      appSecret: row.app_secret === null ? null : vault.decrypt(row.app_secret),
    }
  );
}
