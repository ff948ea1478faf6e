import type { FoundProblem } from "shared/core/problem/problem";
import { findDataKey, withoutMark } from "shared/db/account";
import { findPlatformCredentials } from "shared/db/platform-account";
import { listSealedSecrets } from "shared/db/site-secret";
import { dataKeyPlace, platformPlace, secretPlace, webhookSecretPlace } from "shared/secrets/sealed-columns";
import { type Place, readRecord } from "shared/secrets/vault";
import type { Find } from "./look.ts";
import { lasting } from "./texts.ts";

/** Secrets that the master key does not open, so that gateways refuse the account's events with 503. */
export const findUnreadable: Find = async ({ context: { sql, vault }, accountId }) => {
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
    ...(isUnreadable(withoutMark(account?.data_key ?? null), dataKeyPlace(accountId)) ? [problemOf("dataKey")] : []),
    ...(isPlatformUnreadable ? [problemOf("platform")] : []),
    ...Array.from(sites, ([siteId, name]) => problemOf("site", siteId, name)),
  ];
};

function problemOf(of: "dataKey" | "platform" | "site", siteId: string | null = null, name: string | null = null): FoundProblem {
  return { kind: "secret_unreadable", siteId, subject: siteId ?? of, detail: { of, name }, ...lasting };
}
