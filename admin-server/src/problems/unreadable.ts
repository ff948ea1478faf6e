import { findDataKey } from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { findPlatformCredentials } from "shared/db/platform-account";
import { listSealedSecrets } from "shared/db/site-secret";
import { dataKeyPlace, platformPlace, secretPlace, webhookSecretPlace } from "shared/secrets/sealed-columns";
import { type Place, readRecord, type Vault } from "shared/secrets/vault";

/** A stored value whose loss makes gateways refuse events with 503, and its owner. */
export type Unreadable = { kind: "dataKey" | "platform"; siteId: null; name: null } | { kind: "site"; siteId: string; name: string };

/** The secrets that the master key does not open, so that gateways take no events of the account. */
export async function findUnreadable({ sql, vault }: { sql: Sql; vault: Vault }, accountId: string): Promise<Unreadable[]> {
  const [account, platform, secrets] = await Promise.all([
    findDataKey(sql, accountId),
    findPlatformCredentials(sql, accountId),
    listSealedSecrets(sql, accountId),
  ]);
  const isUnreadable = (record: string | null, at: Place): boolean => record !== null && readRecord(vault, record, at) === null;
  const unreadable = secrets.filter(({ id, kind, mode, secret }) =>
    isUnreadable(secret, kind === "webhook_secret" ? webhookSecretPlace(accountId, id, mode) : secretPlace(accountId, id)),
  );
  const sites = new Map(unreadable.map(({ site_id, name }) => [site_id, name]));
  const isPlatformUnreadable =
    platform !== undefined &&
    (["access_token", "app_secret"] as const).some((name) => isUnreadable(platform[name], platformPlace(accountId, name)));
  return [
    ...(isUnreadable(account?.data_key ?? null, dataKeyPlace(accountId)) ? [ofAccount("dataKey")] : []),
    ...(isPlatformUnreadable ? [ofAccount("platform")] : []),
    ...Array.from(sites, ([siteId, name]): Unreadable => ({ kind: "site", siteId, name })),
  ];
}

const ofAccount = (kind: "dataKey" | "platform"): Unreadable => ({ kind, siteId: null, name: null });
