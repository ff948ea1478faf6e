import { lockSites } from "shared/db/site";
import { endSiteSecrets, expireSiteSecret } from "shared/db/site-secret";
import type { SiteSecretKind } from "shared/db/site-secret";
import { inTransaction } from "shared/db/transaction";
import { conflict, notFound } from "../../trpc/refusals.ts";
import { giveApiKey, giveWebhookSecret, type SecretMaker } from "./give-secret.ts";

export interface Rotation {
  id: string;
  /** For how long the one that is replaced still counts. 0: it ends at once, and with it those that were replaced before. */
  overlapSeconds: number;
}

const most = 5;
const makers = { api_key: giveApiKey, webhook_secret: giveWebhookSecret };
const names = { api_key: "API keys", webhook_secret: "webhook secrets" };

/** Replaces the site's current key or secret; answers the new one, which is never to be had again. */
export async function rotate(
  { sql, vault }: SecretMaker,
  accountId: string,
  kind: SiteSecretKind,
  { id, overlapSeconds }: Rotation,
): Promise<string> {
  return inTransaction(sql, async (transaction) => {
    if (!(await lockSites(transaction, accountId, [id])).has(id)) throw notFound("site");
    if (overlapSeconds === 0) await endSiteSecrets(transaction, id, kind);
    else if ((await expireSiteSecret(transaction, id, kind, overlapSeconds)) >= most) throw tooMany(kind);
    return makers[kind]({ sql: transaction, vault }, id);
  });
}

const tooMany = (kind: SiteSecretKind) =>
  conflict(
    `${most} ${names[kind]} of this site count at present: wait until one has ended, or rotate without an overlap, which ends them all`,
  );
