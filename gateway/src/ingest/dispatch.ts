import { printJson, type JsonValue } from "shared/core/json";
import { optedOut, optOutScopeOf } from "shared/core/message";
import type { MessageComponent } from "shared/core/template/definition";
import type { NotificationResult } from "shared/db/event/settle";
import { findUnwilling, recordOptOuts } from "shared/db/opt-out";
import { within } from "shared/db/transaction";
import { type InFlight, encodeReference } from "shared/platform/client";
import { sendTemplate, type SendResult } from "shared/platform/send";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { AccountGate } from "./account-pause.ts";

/** A message whose row says `sending`. */
export interface OutgoingMessage {
  id: string;
  eventId: string;
  template: string;
  language: string;
  toPhone: string;
  components: MessageComponent[];
  attempt: number;
}

export interface Dispatch {
  /**
   * Hands one wave over and answers what became of each message, in order. Never throws for what the platform does. Nothing is handed over after
   * `startBy`, which must lie within the lease: an owner that was paused must not send after a take-over.
   */
  (site: SiteConfig, wave: OutgoingMessage[], limits: SendLimits): Promise<NotificationResult[]>;
}

/** Monotonic ms: no try starts after the first, and whatever is under way at the second is in doubt. */
export interface SendLimits {
  startBy: number;
  cutAt: number;
}

export function createDispatch(
  context: Pick<GatewayContext, "platform" | "log" | "sql" | "vault" | "config" | "clock">,
  gate: AccountGate,
  inFlight: InFlight,
): Dispatch {
  const { platform, log } = context;
  const hand = async (site: SiteConfig, message: OutgoingMessage, limits: SendLimits): Promise<SendResult | null> => {
    if (!site.platform) return null;
    const reference = encodeReference({ siteId: site.id, notificationId: message.id, attempt: message.attempt });
    const { template, language, components, toPhone } = message;
    const outgoing = { to: toPhone, template, language, components, reference };
    const result = await sendTemplate(platform, site.platform.credentials, outgoing, { startBy: limits.startBy, deadline: limits.cutAt });
    if (result.kind === "in_doubt") inFlight.timedOut(site.accountId);
    else if (result.kind !== "deadline") inFlight.answered(site.accountId);
    return result;
  };

  const handAll = async (site: SiteConfig, wave: OutgoingMessage[], limits: SendLimits): Promise<NotificationResult[]> => {
    const sent = await Promise.all(wave.map((message) => hand(site, message, limits)));
    const stop = sent.find((result) => result?.kind === "refused" && result.stopsAccount);
    if (stop?.kind === "refused") await attempt(() => gate.stop(site, stop));
    const sends = wave.map(({ toPhone }, i) => ({ toPhone, result: sent[i] ?? null }));
    await attempt(() => recordRefusals(context, site, sends));
    return wave.map((message, i) => toResult(site, message, sent[i] ?? null));
  };

  /** What the platform thinks of the account or a recipient is noted for later messages: failing to record it must not cost the results. */
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      log.error({ err: error }, "could not record what the platform said of the account or a recipient");
    }
  };

  return async (site, wave, limits) => {
    const passage = await gate.passage(site);
    if (passage === "open") return await handAll(site, wave, limits);
    const [first, ...rest] = wave;
    if (passage === "closed" || !first) return wave.map((message) => stopped(site, message));
    const [probe] = await handAll(site, [first], limits);
    if (!probe || !isGood(probe)) return [...(probe ? [probe] : []), ...rest.map((message) => stopped(site, message))];
    await attempt(() => gate.resume(site));
    return [probe, ...(await handAll(site, rest, limits))];
  };
}

const isGood = (result: NotificationResult): boolean => result.status === "sent";

const stopped = (site: SiteConfig, message: OutgoingMessage): NotificationResult =>
  localFailure(
    site.id,
    message,
    "account_stopped",
    "The platform refuses this account at the moment; see Settings for the reason, then resend.",
  );

function toResult(site: SiteConfig, message: OutgoingMessage, result: SendResult | null): NotificationResult {
  if (!result)
    return localFailure(site.id, message, "interrupted", "The platform is no longer connected; connect it in Settings, then resend.");
  if (result.kind !== "accepted" && result.kind !== "refused") return localFailure(site.id, message, result.kind, reasonOf(result));
  const refused = result.kind === "refused" ? result : null;
  return {
    site_id: site.id,
    event_id: message.eventId,
    id: message.id,
    attempt: message.attempt,
    status: refused ? "failed" : "sent",
    local: false,
    wa_message_id: result.kind === "accepted" ? result.waMessageId : null,
    error_code: refused && refused.code,
    error_reason: refused && refused.reason,
    error_detail: refused && printJson((refused.detail ?? null) as JsonValue),
  };
}

function reasonOf(result: Exclude<SendResult, { kind: "accepted" | "refused" }>): string {
  return result.kind === "deadline" && result.lastError ? `${result.reason} (${result.lastError})` : result.reason;
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

/** A failure by our own word: the platform was not asked, or has not answered. It yields to whatever the platform says later. */
export function localFailure(
  siteId: string,
  message: { id: string; eventId: string; attempt: number },
  code: string,
  reason: string,
): NotificationResult {
  const { id, eventId, attempt } = message;
  const said = { wa_message_id: null, error_code: code, error_reason: reason, error_detail: null };
  return { site_id: siteId, event_id: eventId, id, attempt, status: "failed", local: true, ...said };
}
