import type { createSiteInput } from "shared/core/input/sites";
import { newId } from "shared/db/ids";
import { findSite } from "shared/db/site";
import { insertSite } from "shared/db/site";
import type { SiteRow } from "shared/db/site";
import { inTransaction } from "shared/db/transaction";
import type { z } from "zod";
import { notFound } from "../../trpc/refusals.ts";
import { giveApiKey, giveWebhookSecret, type SecretMaker } from "./give-secret.ts";

/** Makes a site and its two secrets, which are never to be had again. */
export async function createSite(
  { sql, vault }: SecretMaker,
  accountId: string,
  { name, url, sourceType, testPhone = null }: z.output<typeof createSiteInput>,
): Promise<{ site: SiteRow; apiKey: string; webhookSecret: string }> {
  const id = newId();
  return inTransaction(sql, async (transaction) => {
    const maker = { sql: transaction, vault };
    await insertSite(transaction, { id, accountId, name, url, sourceType, testPhone });
    const apiKey = await giveApiKey(maker, id);
    const webhookSecret = await giveWebhookSecret(maker, id);
    const site = await findSite(transaction, accountId, id);
    if (site === undefined) throw notFound("site");
    return { site, apiKey, webhookSecret };
  });
}
