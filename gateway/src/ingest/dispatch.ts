import { printJson, type JsonValue } from "shared/core/json";
import type { MessageComponent } from "shared/core/template/definition";
import { storedText } from "shared/core/wording";
import type { NotificationResult } from "shared/db/event/settle";
import { withTimeout } from "shared/db/transaction";
import { type ThrottledMessage, giveThrottledBack, takeThrottled, type ThrottleMark } from "shared/db/waiting/pace";
import { type InFlight, encodeReference } from "shared/platform/client";
import type { ErrorClass } from "shared/platform/errors/error-class";
import { sendTemplate, type SendResult } from "shared/platform/send";
import { sealReport } from "shared/sealing/stored-rows";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";
import type { AccountPause } from "./account-pause.ts";
import { localFailure } from "./event.ts";
import { recordOptOutRefusals } from "./opt-outs.ts";
import type { Pace } from "./pace.ts";

/** A message whose row says `sending`. */
export interface OutgoingMessage {
  id: string;
  eventId: string;
  template: string;
  language: string;
  toPhone: string;
  components: MessageComponent[];
  attempt: number;
  /** Of a binding that limits how many leave for a phone. */
  throttle?: ThrottledMessage | null | undefined;
}

/**
 * Hands one wave over; answers each message's result, in order. Never throws for the platform's sake. Nothing is handed over after `startBy`, which
 * must lie within the lease: a process that was suspended must not send after a take-over.
 */
export type Dispatch = (site: SiteConfig, wave: OutgoingMessage[], limits: SendLimits) => Promise<HandedResult[]>;

export interface HandedResult extends NotificationResult {
  /** Of a refusal; `transient` also where the platform could not be reached. Null otherwise. */
  errorClass?: ErrorClass | null | undefined;
}

/** Monotonic ms: no attempt starts after `startBy`, and one that is under way at `cutAt` is in doubt. */
export interface SendLimits {
  startBy: number;
  cutAt: number;
  /** The queue sends it: refusals are tried again later, and requests of events that somebody waits for go first. */
  fromQueue?: boolean | undefined;
}

export function createDispatch(
  context: Pick<GatewayContext, "platform" | "log" | "sql" | "vault" | "config" | "clock">,
  pause: AccountPause,
  inFlight: InFlight,
  pace: Pace,
): Dispatch {
  const { platform, log } = context;
  const hand = async (site: SiteConfig, message: OutgoingMessage, limits: SendLimits): Promise<SendResult | null> => {
    if (!site.platform) return null;
    const reference = encodeReference({ siteId: site.id, notificationId: message.id, attempt: message.attempt });
    const { template, language, components, toPhone } = message;
    const outgoing = { to: toPhone, template, language, components, reference };
    const { startBy, cutAt: deadline, fromQueue: once = false } = limits;
    const slot = site.messagesPerSecond === null ? undefined : () => pace.slot(site, startBy, !once);
    const result = await sendTemplate(platform, site.platform.credentials, outgoing, { startBy, deadline, slot, once });
    if (result.kind === "in_doubt") inFlight.timedOut(site.accountId);
    else if (result.kind !== "deadline") inFlight.answered(site.accountId);
    return result;
  };

  const handAll = async (site: SiteConfig, wave: OutgoingMessage[], limits: SendLimits): Promise<HandedResult[]> => {
    pace.note(site.accountId, wave.length);
    const sent = await Promise.all(wave.map((message) => hand(site, message, limits)));
    if (sent.some((result) => result?.kind === "refused" && result.code === tooFastCode)) await attempt(() => pace.slowDown(site));
    const stop = sent.find((result) => result?.kind === "refused" && result.stopsAccount);
    if (stop?.kind === "refused") await attempt(() => pause.stop(site, stop));
    const sends = wave.map(({ toPhone }, i) => ({ toPhone, result: sent[i] ?? null }));
    await attempt(() => recordOptOutRefusals(context, site, sends));
    return wave.map((message, i) => sealReport(site.rows, toResult(site, message, sent[i] ?? null)));
  };

  /** For notes on the account or a recipient that help later messages: a failure to record them must not cost the results. */
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      log.error({ err: error }, "could not record what the platform said of the account or a recipient");
    }
  };

  return async (site, wave, limits) => {
    const state = await pause.state(site);
    if (state === "none") return await handAll(site, wave, limits);
    const [first, ...rest] = wave;
    if (state === "paused" || !first) return wave.map((message) => stopped(site, message));
    const [probe] = await handAll(site, [first], limits);
    if (!probe || !isGood(probe)) return [...(probe ? [probe] : []), ...rest.map((message) => stopped(site, message))];
    await attempt(() => pause.resume(site));
    return [probe, ...(await handAll(site, rest, limits))];
  };
}

/** The platform's code for a number that sends too fast. */
export const tooFastCode = "130429";

function classOf(result: SendResult): ErrorClass | null {
  return result.kind === "deadline" && result.lastError !== undefined ? "transient" : null;
}

const isGood = (result: NotificationResult): boolean => result.status === "sent";

const stopped = (site: SiteConfig, message: OutgoingMessage): NotificationResult =>
  localFailure(
    site.id,
    message,
    "account_stopped",
    storedText("WhatsApp refuses this account now. See the reason under Settings, Platform, then resend."),
  );

function toResult(site: SiteConfig, message: OutgoingMessage, result: SendResult | null): HandedResult {
  if (!result)
    return localFailure(
      site.id,
      message,
      "interrupted",
      storedText("WhatsApp is no longer connected. Connect it under Settings, Platform, then resend."),
    );
  if (result.kind !== "accepted" && result.kind !== "refused")
    return { ...localFailure(site.id, message, result.kind, reasonOf(result)), errorClass: classOf(result) };
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
    errorClass: refused && refused.class,
  };
}

function reasonOf(result: Exclude<SendResult, { kind: "accepted" | "refused" }>): string {
  return result.kind === "deadline" && result.lastError ? `${result.reason} (${result.lastError})` : result.reason;
}

/** Fails those messages whose bindings allow no more of them to their phones now. Without such bindings it costs nothing. */
export function createThrottledDispatch(context: Pick<GatewayContext, "sql" | "config" | "log">, dispatch: Dispatch): Dispatch {
  const { sql, log } = context;
  const limitMs = context.config.timeLimits.statementMs;

  /** What did not leave after all counts no longer. */
  const giveBack = async (marks: readonly ThrottleMark[]): Promise<void> => {
    if (marks.length === 0) return;
    await withTimeout(giveThrottledBack(sql, marks), limitMs).catch((error: unknown) => {
      log.warn({ err: error }, "messages that did not leave count for their throttle");
    });
  };

  return async (site, wave, limits) => {
    const limited = wave.flatMap(({ throttle }) => throttle ?? []);
    if (limited.length === 0) return await dispatch(site, wave, limits);
    const marks = await withTimeout(takeThrottled(sql, limited), limitMs);
    const marked = new Set(marks.map(({ id }) => id));
    const free = wave.filter(({ id, throttle }) => !throttle || marked.has(id));
    const results = free.length > 0 ? await dispatch(site, free, limits) : [];
    const byId = new Map(results.map((result) => [result.id, result]));
    await giveBack(marks.filter(({ id }) => !hasLeft(byId.get(id))));
    return wave.map((message) => byId.get(message.id) ?? throttled(site, message));
  };
}

const throttled = (site: SiteConfig, message: OutgoingMessage): HandedResult =>
  localFailure(
    site.id,
    message,
    "throttled",
    storedText("The phone already got as many of this binding's messages as the binding allows in that time."),
  );

/** As far as is known. */
const hasLeft = (result: HandedResult | undefined): boolean =>
  result !== undefined && (result.status === "sent" || result.error_code === "in_doubt" || result.error_code === "unexpected_answer");
