import { createHash } from "node:crypto";
import { optOutKey } from "../core/person-key.ts";
import type { PersonBody } from "../core/webhook.ts";
import { uuidv7 } from "../db/ids.ts";
import { type OptOutChange, recordOptOuts } from "../db/opt-out.ts";
import { type Sql, inTransaction } from "../db/statement.ts";
import { findListeners, tellOfPeople } from "../db/webhook/tell.ts";
import type { Vault } from "../secrets/vault.ts";
import { readRowCodec } from "./account-rows.ts";

/** A person's text or wish, for endpoints. */
export interface PersonWord {
  /** E.164. */
  phone: string;
  at: Date;
  /** The one site whose endpoints are told; null: all sites. */
  siteId: string | null;
  body: PersonBody;
  /** The key of the word: one that the platform repeats is told once. */
  key: string;
}

type TellingVault = Pick<Vault, "open" | "fingerprint">;

/** Tells the account's endpoints that want it. One statement if none does. */
export async function tellPeoplesWords(sql: Sql, vault: TellingVault, accountId: string, words: readonly PersonWord[]): Promise<void> {
  if (words.length === 0) return;
  const listeners = await findListeners(sql, accountId, [...new Set(words.map(({ body }) => body.type))]);
  if (listeners.length === 0) return;
  const rows = await readRowCodec(sql, vault, accountId);
  const told = words.flatMap(({ phone, at, siteId, body, key }) =>
    listeners
      .filter(({ site_id, type }) => type === body.type && (siteId ?? site_id) === site_id)
      .map(({ id: webhookId, site_id, type }) => {
        const id = uuidv7(at.getTime(), createHash("sha256").update(`${webhookId} ${type} ${key}`).digest());
        const payload = rows.seal(JSON.stringify(body), "webhook_delivery.payload", id);
        return {
          id,
          webhook_id: webhookId,
          site_id,
          type,
          phone_hash: vault.fingerprint(optOutKey(accountId, phone)),
          payload,
          occurred_at: at.toISOString(),
        };
      }),
  );
  await tellOfPeople(sql, told);
}

/** Records opt-outs and their ends, and tells the endpoints that want it in the same transaction; answers how many entries changed. */
export async function recordToldOptOuts(
  sql: Sql,
  vault: TellingVault & Pick<Vault, "sealer">,
  { accountId, hasWebhooks }: { accountId: string; /** Whether the account may have endpoints. */ hasWebhooks: boolean },
  changes: readonly OptOutChange[],
): Promise<number> {
  if (!hasWebhooks) return (await recordOptOuts(sql, vault, accountId, changes)).entries;
  return await inTransaction(sql, async (transaction) => {
    const { entries, turns } = await recordOptOuts(transaction, vault, accountId, changes);
    // Of a person without a known phone nothing can be told until that is known.
    const known = turns.flatMap(({ phone, ...turn }) => (phone === null ? [] : toWord({ ...turn, phone })));
    await tellPeoplesWords(transaction, vault, accountId, known);
    return entries;
  });
}

/** The body for endpoints about a person who opted out, or in again. */
export function toWord({ phone, scope, source, active, at }: Pick<OptOutChange, "scope" | "source" | "active" | "at"> & { phone: string }) {
  const type = active ? "customer.opted_out" : "customer.opted_in";
  const body = { type, phone, scope, source, occurred_at: at.toISOString() } as const;
  return { phone, at, siteId: null, body, key: `${phone} ${scope} ${at.toISOString()}` };
}
