import { optedOut, optOutKey, optOutScopeOf } from "shared/core/message";
import type { Addressee } from "shared/db/event/claim";
import type { NotificationResult } from "shared/db/event/settle";
import { findUnwilling, recordOptOuts } from "shared/db/opt-out";
import { withTimeout } from "shared/db/transaction";
import type { SendResult } from "shared/platform/send";
import type { Vault } from "shared/secrets/vault";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { decidedChat, isSendable, localFailure } from "./event.ts";
import type { PlannedEvent } from "./plan.ts";

/** Those whom the event would send something, where anybody has opted out of the account's messages: the claim compares them. In a dry run too. */
export function toAddressees({ id: event_id, site, plan }: PlannedEvent, vault: Pick<Vault, "fingerprint">): Addressee[] {
  const { accountId, marketing } = site;
  if (marketing === null) return [];
  return plan.messages.flatMap((message, position) => {
    if (!isSendable(message)) return [];
    const phone_hash = vault.fingerprint(optOutKey(accountId, message.toPhone));
    return [{ event_id, account_id: accountId, position, phone_hash, marketing: marketing.has(message.templateId) }];
  });
}

/** The event with the messages at these positions logged as failed and never sent. */
export function withOptedOut(event: PlannedEvent, positions: readonly number[]): PlannedEvent {
  const mark = <T extends { failure: unknown }>(message: T, position: number): T =>
    positions.includes(position) ? { ...message, failure: optedOut } : message;
  const plan = { ...event.plan, messages: event.plan.messages.map(mark) };
  return { ...event, plan, messages: event.messages.map(mark), chat: decidedChat(plan, event.dryRun) };
}

type UnwillingContext = Pick<GatewayContext, "sql" | "vault" | "config" | "clock">;

/** Records those recipients whom the platform refused because they do not want messages. No statement when there are none. */
export async function recordRefusals(
  { sql, vault, config, clock }: UnwillingContext,
  site: SiteConfig,
  sends: readonly { toPhone: string; result: SendResult | null }[],
): Promise<void> {
  const words = sends.flatMap(({ toPhone: phone, result }) => {
    const scope = result?.kind === "refused" ? optOutScopeOf(result.code) : null;
    if (scope === null || result?.kind !== "refused") return [];
    return [{ phone, scope, source: "refusal" as const, code: result.code, active: true, at: clock.now() }];
  });
  if (words.length > 0) await withTimeout(recordOptOuts(sql, vault, site.accountId, words), config.timeLimits.statementMs);
}

/** The failures of those among messages of before whose recipients have opted out since. No statement where nobody has. */
export async function unwillingResults(
  { sql, vault, config }: UnwillingContext,
  site: SiteConfig,
  eventId: string,
  messages: readonly { id: string; to_phone: string; attempt: number }[],
): Promise<NotificationResult[]> {
  if (site.marketing === null) return [];
  const asked = messages.map(({ id, to_phone: toPhone }) => ({ id, toPhone }));
  const at = { accountId: site.accountId, siteId: site.id };
  const unwilling = await withTimeout(findUnwilling(sql, vault, at, asked), config.timeLimits.statementMs);
  return messages
    .filter(({ id }) => unwilling.has(id))
    .map(({ id, attempt }) => localFailure(site.id, { id, eventId, attempt }, optedOut.code, optedOut.reason));
}
