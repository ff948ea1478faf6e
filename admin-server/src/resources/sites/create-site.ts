import type { createSiteInput } from "shared/core/input/site";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/new-id";
import { insertSite } from "shared/db/tables/site/insert";
import type { SiteRow } from "shared/db/tables/site/row";
import { makeSiteKey } from "shared/signature/site-key";
import { makeWebhookSecret } from "shared/signature/webhook-secret";
import type { Vault } from "shared/vault/vault";
import type { z } from "zod";

/** Makes a site and its two secrets, which are never to be had again. */
export async function createSite(
  { sql, vault }: { sql: Sql; vault: Vault },
  accountId: string,
  input: z.output<typeof createSiteInput>,
): Promise<{ site: SiteRow; apiKey: string; webhookSecret: string }> {
  const id = newId();
  const { key, hash, hint } = makeSiteKey(id);
  const webhookSecret = makeWebhookSecret();
  const site = await insertSite(sql, {
    id,
    accountId,
    name: input.name,
    url: input.url,
    sourceType: input.sourceType,
    testPhone: input.testPhone ?? null,
    keyHash: hash,
    keyHint: hint,
    webhookSecret: vault.encrypt(webhookSecret),
  });
  return { site, apiKey: key, webhookSecret };
}
