import { findPlatformCredentials } from "shared/db/platform-account";
import { findCallbackTime } from "shared/db/platform-callback";
import type { Sql } from "shared/db/statement";
import { testConnection } from "shared/platform/connection-check";
import { type Vault, placeIn } from "shared/secrets/vault";
import type { AdminConfig } from "./config.ts";
import type { AdminContext } from "./context.ts";

/** The account's decrypted platform credentials; null when it is not connected. */
export async function platformCredentials({ sql, vault }: { sql: Sql; vault: Vault }, accountId: string) {
  const row = await findPlatformCredentials(sql, accountId);
  if (row === undefined) return null;
  return {
    apiVersion: row.api_version,
    wabaId: row.waba_id,
    phoneNumberId: row.phone_number_id,
    accessToken: vault.open(row.access_token, placeIn("platform_account.access_token", accountId)),
    appId: row.app_id,
    appSecret: row.app_secret === null ? null : vault.open(row.app_secret, placeIn("platform_account.app_secret", accountId)),
  };
}

/** Asks the platform with the stored credentials; null while there are none. */
export async function askPlatform(context: Pick<AdminContext, "sql" | "vault" | "config" | "platform">, accountId: string) {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null) return null;
  const { isSandbox } = context.config;
  const callbacks = { url: webhookUrl(context.config, accountId), lastAt: await findCallbackTime(context.sql, accountId), isSandbox };
  return await testConnection(context.platform, credentials, callbacks);
}

/** The last four characters, by which people recognise a stored secret; empty if they would be more than half of it. */
export const secretHint = (secret: string): string => (secret.length < 8 ? "" : secret.slice(-4));

/** The address that a site's shop posts to. */
export const inboundUrl = (publicGatewayUrl: string, token: string): string => `${publicGatewayUrl}/api/public/in/${token}`;

/** The platform's callback URL for an account: with the cell before it, a proxy finds the installation by the path alone. */
export const webhookUrl = ({ publicGatewayUrl, cell }: Pick<AdminConfig, "publicGatewayUrl" | "cell">, accountId: string): string =>
  `${publicGatewayUrl}/api/public/platform/webhook/${cell === undefined ? "" : `${cell}.`}${accountId}`;
