import { optedOut, optOutScopeOf } from "shared/core/message";
import type { NotificationResult } from "shared/db/event/settle";
import { findUnwilling } from "shared/db/opt-out";
import { recordOptOuts } from "shared/db/opt-out";
import { within } from "shared/db/transaction";
import type { SendResult } from "shared/platform/send";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/site-config.ts";
import { localFailure } from "./local-failure.ts";

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
  if (words.length > 0) await within(config.timeLimits.statementMs, recordOptOuts(sql, vault, site.accountId, words));
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
  const unwilling = await within(config.timeLimits.statementMs, findUnwilling(sql, vault, at, asked));
  return messages
    .filter(({ id }) => unwilling.has(id))
    .map(({ id, attempt }) => localFailure(site.id, { id, eventId, attempt }, optedOut.code, optedOut.reason));
}
