import { describeReason, type PlanFailure } from "shared/core/reason";
import { nextAttempt } from "shared/core/schedule/due";
import { storedText } from "shared/core/wording";
import type { Later, WaitingOutcome } from "shared/db/waiting/settle";
import type { TakenMessage } from "shared/db/waiting/take";
import { tooFastCode } from "../sending/dispatch.ts";
import { type HandedResult, interruptedReason, localFailure } from "../sending/outcome.ts";
import type { SiteConfig } from "../sites/sites.ts";

/** Decides a message by the configuration of now, not of when its event arrived; null sends it to the platform. */
export function judge(message: TakenMessage, site: SiteConfig | null, hearsCallbacks: boolean, now: Date): WaitingOutcome | null {
  if (message.reported) return { kind: "known" };
  if (site === null || message.site_deleted) return { kind: "dropped", code: "site_deleted" };
  if (message.unbound) return { kind: "dropped", code: "binding_deleted" };
  if (message.replaced) return { kind: "dropped", code: "restarted" };
  // Sent again once, where silence means that the platform never got it.
  if (message.doubts > 1 || (message.doubts === 1 && !hearsCallbacks)) return failed(message, "interrupted", interruptedReason);
  if (!site.enabled)
    return failed(message, "site_disabled", storedText("The site refuses events. Switch “Accept events” on, then resend."));
  if (message.expired) return failed(message, "expired", storedText("The message expired before it could be sent."));
  const template = templateFailure(message);
  if (template !== null) return failedFor(message, template);
  if (site.platform !== null) return message.full_seconds === null || isOver(message, now) ? null : untried(message.full_seconds);
  if (isOver(message, now))
    return failed(message, "interrupted", storedText("WhatsApp is not connected. Connect it under Settings, Platform, then resend."));
  return untried(unconnectedSeconds);
}

const unconnectedSeconds = 60;
const templateFailure = ({ template_status: status, template, language }: TakenMessage): PlanFailure | null =>
  status === "approved" ? null : { code: "template_not_approved", status: status ?? "disabled", of: { template, language } };

type Failing = Pick<TakenMessage, "site_id" | "id" | "event_id" | "attempt">;

export const failedFor = (message: Failing, failure: PlanFailure): WaitingOutcome => failed(message, failure.code, describeReason(failure));

export const failed = (message: Failing, code: string, reason: string): WaitingOutcome => ({
  kind: "settled",
  result: localFailure(message.site_id, { id: message.id, eventId: message.event_id, attempt: message.attempt }, code, reason),
});

/** The message was not handed over: it is due again, and the try does not count. */
export const untried = (seconds: number): Later => ({ kind: "later", seconds, refused: null, again: false, pausesPhone: false });

/** The outcome after the platform's answer: a recorded result, or a later try. */
export function afterTry(message: TakenMessage, { errorClass, ...result }: HandedResult, at: TryTime): WaitingOutcome {
  const later = result.status === "failed" ? laterTry(message, { ...result, errorClass }, at) : null;
  return later ?? { kind: "settled", result };
}

/** `random`: a number from 0 to 1. `scale`: a factor of the waits; 1 except in tests. */
type TryTime = Record<"random" | "scale", number> & { now: Date };

function laterTry(
  message: TakenMessage,
  { error_code: code, errorClass, local }: HandedResult,
  { now, random, scale }: TryTime,
): Later | null {
  const { attempt, queued_at: firstAt, retry_hours: hours } = message;
  if (local && code === "deadline" && !errorClass) return untried(0);
  if (isOver(message, now)) return null;
  if (errorClass === "account" || (local && code === "account_stopped"))
    return { kind: "later", seconds: stoppedSeconds * scale, refused: local ? null : code, again: false, pausesPhone: true };
  if (code === tooFastCode) return untried(tooFastSeconds * (1 + random));
  const again = (seconds: number): Later | null => {
    if (now.getTime() + seconds * 1000 > endOf(message)) return null;
    return { kind: "later", seconds, refused: code, again: true, pausesPhone: code === phoneTooFastCode };
  };
  if (code === phoneTooFastCode) return again(Math.max(phonePauseSeconds, 4 ** attempt));
  if (code === marketingLimitCode) return hours > 24 && now.getTime() - firstAt.getTime() < daySeconds * 1000 ? again(daySeconds) : null;
  const next = errorClass === "transient" ? nextAttempt(attempt, now, firstAt, hours, random, scale) : null;
  return next && again((next.getTime() - now.getTime()) / 1000);
}

/** Nothing more is taken of an account once its stop is written down. */
const stoppedSeconds = 5;
const tooFastSeconds = 1;
/** The platform's code for too many messages to one phone. The phone is then left alone for this long at first. */
const phoneTooFastCode = "131056";
const phonePauseSeconds = 6;
/** The platform's code for holding marketing messages of several businesses back from a person. */
const marketingLimitCode = "131049";
const daySeconds = 86_400;

const endOf = ({ queued_at, retry_hours }: TakenMessage): number => queued_at.getTime() + retry_hours * 3_600_000;
const isOver = (message: TakenMessage, now: Date): boolean => now.getTime() >= endOf(message);
