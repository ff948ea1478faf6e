import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { insertSiteSecret } from "shared/db/site-secret";
import { makeWebhookSecret, webhookSecretHint } from "shared/secrets/signature";
import { makeSiteKey } from "shared/secrets/site-key";
import type { Vault } from "shared/secrets/vault";

export interface SecretMaker {
  sql: Sql;
  vault: Vault;
}

/** A new API key of a site that has no current one. Only its digest is kept. */
export async function giveApiKey({ sql }: SecretMaker, siteId: string): Promise<string> {
  const { key, hash: keyHash, hint } = makeSiteKey(siteId);
  await insertSiteSecret(sql, { id: newId(), siteId, kind: "api_key", keyHash, hint });
  return key;
}

/** A new webhook secret of a site that has no current one. */
export async function giveWebhookSecret({ sql, vault }: SecretMaker, siteId: string): Promise<string> {
  const secret = makeWebhookSecret();
  await insertSiteSecret(sql, {
    id: newId(),
    siteId,
    kind: "webhook_secret",
    secret: vault.encrypt(secret),
    hint: webhookSecretHint(secret),
  });
  return secret;
}
