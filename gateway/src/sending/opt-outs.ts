import { optOutScopeOf } from "shared/core/message";
import { findOptedOut } from "shared/db/opt-out";
import type { SendResult } from "shared/platform/send";
import { recordToldOptOuts } from "shared/sealing/tell-people";
import { type GatewayContext, inTime } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { OutgoingMessage } from "./outcome.ts";

/** Records the recipients that the platform refused because they have opted out. No statement when there are none. */
export async function recordOptOutRefusals(
  context: GatewayContext,
  site: SiteConfig,
  wave: readonly OutgoingMessage[],
  sent: readonly SendResult[],
): Promise<void> {
  const { sql, vault, clock } = context;
  const optOuts = wave.flatMap(({ to_phone: phone }, i) => {
    const result = sent[i];
    const scope = result?.kind === "refused" ? optOutScopeOf(result.code) : null;
    if (scope === null || result?.kind !== "refused") return [];
    return [{ phone, scope, source: "refusal" as const, code: result.code, active: true, at: clock.now() }];
  });
  if (optOuts.length > 0) await inTime(context, recordToldOptOuts(sql, vault, { accountId: site.accountId, hasWebhooks: true }, optOuts));
}

/** The ids of earlier planned messages whose recipients have opted out since. No statement while the account has no opt-outs. */
export async function optedOutIds(
  context: GatewayContext,
  site: SiteConfig,
  messages: readonly Pick<OutgoingMessage, "id" | "to_phone" | "marketing">[],
): Promise<Set<string>> {
  if (!site.hasOptOuts) return new Set();
  const asked = messages.map(({ id, to_phone: phone, marketing }) => ({ id, phone, marketing }));
  const out = await inTime(context, findOptedOut(context.sql, context.vault, site.accountId, asked));
  return new Set([...out].map(({ id }) => id));
}
