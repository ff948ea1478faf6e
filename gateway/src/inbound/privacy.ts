import { phoneToRedact } from "shared/core/sources/shopify";
import { insertAuditEntry, lockForAudit } from "shared/db/audit";
import { takeKeyOnce } from "shared/db/event/answer";
import { newId } from "shared/db/ids";
import { inTransaction } from "shared/db/transaction";
import { normalizePhone } from "shared/normalize-phone";
import { askToErase } from "shared/sealing/ask-to-erase";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { type Reading, repeatSeconds } from "./read.ts";

type PrivacyReading = Extract<Reading, { kind: "privacy" }>;

/**
 * A request of data protection law: it stands in the audit, and who is to be forgotten is erased, also while the account's settings name the phone: these are
 * the account's own, and its people decide on them. A repeat changes nothing: whoever saw one could fill the audit with it.
 */
export async function takePrivacyRequest(
  { sql, vault }: Pick<GatewayContext, "sql" | "vault">,
  { id, accountId, country, inbound: { sourceType } }: SiteConfig,
  { topic, body, key }: PrivacyReading,
): Promise<void> {
  const phone = topic === "customers/redact" ? toPhone(phoneToRedact(body), country) : null;
  await inTransaction(sql, async (transaction) => {
    if (!(await takeKeyOnce(transaction, id, key, repeatSeconds))) return;
    await lockForAudit(transaction, accountId);
    const erasure = phone === null ? null : await askToErase(transaction, vault, { accountId, phone, requestedBy: sourceType });
    await insertAuditEntry(transaction, {
      id: newId(),
      account_id: accountId,
      actor: sourceType,
      actor_id: null,
      token_id: null,
      action: `${sourceType}.${topic}`,
      subject: id,
      address: null,
      changes: erasure === null ? [] : [{ member: "erasure", after: erasure.id }],
    });
  });
}

/** Null for what is no phone: nothing was sent to it. */
function toPhone(typed: string | null, country: string | null): string | null {
  const read = typed === null ? null : normalizePhone(typed, { country: null, siteCountry: country });
  return read !== null && "phone" in read ? read.phone : null;
}
