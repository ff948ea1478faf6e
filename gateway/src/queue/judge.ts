import { daySeconds } from "shared/core/durations";
import { describeReason, type PlanFailure } from "shared/core/reason";
import { nextAttempt } from "shared/core/schedule/due";
import { storedText } from "shared/core/wording";
import type { Later, WaitingOutcome } from "shared/db/waiting/settle";
import type { TakenMessage } from "shared/db/waiting/take";
import {
  holdOf,
  marketingLimitCode,
  numberLimit,
  pausedCode,
  phonePauseSeconds,
  phoneTooFastCode,
  prolonged,
  spamCode,
  tooFastCode,
} from "shared/platform/errors/waits";
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
  if (template?.status === "paused" && !isOver(message, now)) return heldFor(pausedCode, secondsLeft(message, now));
  if (template !== null) return failedFor(message, template);
  if (site.platform !== null)
    return message.full_seconds === null || isOver(message, now) ? null : { ...untried(message.full_seconds), heldFor: numberLimit };
  if (isOver(message, now))
    return failed(message, "interrupted", storedText("WhatsApp is not connected. Connect it under Settings › WhatsApp. Then resend."));
  return untried(unconnectedSeconds);
}

const unconnectedSeconds = 60;
const templateFailure = ({ template_status: status, template, language }: TakenMessage) =>
  status === "approved" ? null : ({ code: "template_not_approved", status: status ?? "disabled", of: { template, language } } as const);

/** The message waits as after such a refusal, but is not tried, at most for so long. */
const heldFor = (code: string, most: number): Later => ({ ...untried(Math.min(holdOf(code)?.seconds ?? 0, most)), heldFor: code });

type Failing = Pick<TakenMessage, "site_id" | "id" | "event_id" | "attempt">;

export const failedFor = (message: Failing, failure: PlanFailure): WaitingOutcome => failed(message, failure.code, describeReason(failure));

export const failed = (message: Failing, code: string, reason: string): WaitingOutcome => ({
  kind: "settled",
  result: localFailure(message.site_id, message, code, reason),
});

/** The message was not handed over: it is due again, and the try does not count. */
export const untried = (seconds: number): Later => ({ kind: "later", seconds, refused: null, again: false, pausesPhone: false });

/** The outcome after the platform's answer: a recorded result, or a later try. */
export const afterTry = (message: TakenMessage, { errorClass, ...result }: HandedResult, at: TryTime): WaitingOutcome =>
  (result.status === "failed" ? laterTry(message, { ...result, errorClass }, at) : null) ?? { kind: "settled", result };

/** `random`: a number from 0 to 1. `scale`: a factor of the waits; 1 except in tests. */
type TryTime = Record<"random" | "scale", number> & { now: Date };

function laterTry(message: TakenMessage, { error_code: code, errorClass, local }: HandedResult, { now, random, scale }: TryTime) {
  const { attempt, queued_at: firstAt, retry_hours: hours } = message;
  if (local && code === "deadline" && !errorClass) return untried(0);
  if (isOver(message, now)) return null;
  const isStopped = local && (code === "account_stopped" || code === spamCode);
  if (errorClass === "account" || isStopped) return { ...untried(stoppedSeconds * scale), refused: local ? null : code, pausesPhone: true };
  if (code === tooFastCode) return untried(tooFastSeconds * (1 + random));
  const left = secondsLeft(message, now);
  const again = (seconds: number): Later | null =>
    seconds > left ? null : { ...untried(seconds), refused: code, again: true, pausesPhone: code === phoneTooFastCode };
  /** A wait that is only ever prolonged, as long as there is time. */
  const atLeast = (seconds: number): Later | null => (seconds > left ? null : again(Math.min(prolonged(seconds, random), left)));
  if (code === phoneTooFastCode) return again(Math.max(phonePauseSeconds, 4 ** attempt));
  if (code === marketingLimitCode) return hours > 24 && now.getTime() - firstAt.getTime() < daySeconds * 1000 ? atLeast(daySeconds) : null;
  const hold = code === null ? null : holdOf(code);
  if (hold !== null) {
    const later = atLeast(hold.seconds);
    return later && { ...later, heldFor: hold.code };
  }
  const next = errorClass === "transient" ? nextAttempt(attempt, now, firstAt, hours, random, scale) : null;
  return next && again((next.getTime() - now.getTime()) / 1000);
}

/** Nothing more is taken of an account once its stop is written down. */
const stoppedSeconds = 5;
const tooFastSeconds = 1;

const secondsLeft = ({ queued_at, retry_hours }: TakenMessage, now: Date): number =>
  (queued_at.getTime() - now.getTime()) / 1000 + retry_hours * 3600;
const isOver = (message: TakenMessage, now: Date): boolean => secondsLeft(message, now) <= 0;
