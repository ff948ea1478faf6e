import { compileStoredKeyAt } from "../compared-value.ts";
import { hourMs, minuteMs } from "../durations.ts";
import { parseIsoDate } from "../iso-date.ts";
import { type JsonObject, type JsonValue, followKeys, textOf } from "../json.ts";
import { shorten, storableText } from "../text.ts";
import type { Schedule } from "./schedule.ts";
import { compileWindow } from "./window.ts";

/** When a binding's messages for one event leave, and the keys by which they are found while they wait. */
export interface Timing {
  /** The due time; null: now. */
  dueAt: Date | null;
  /** The time after which they are not sent; null: never too late. */
  expiresAt: Date | null;
  /** The key (`compileStoredKeyAt`) of the value at the path of `cancelOn`; null when it is missing. */
  cancelBy: string | null;
  /** The key of the value at the path of `restartBy`. */
  restartBy: string | null;
}

/** The reason why the payload gives no moment for a message, or a past one, so that its binding does not fire. */
export interface DueProblem {
  code: "due_past" | "due_unreadable";
  path: string;
  /** The value at the path, cut short; null when it is missing. */
  saw: string | null;
}

export type TimingOf = (payload: JsonObject, receivedAt: Date) => Timing | DueProblem;

/** Compiles a schedule to a function of an event's payload. The function never throws, whatever the payload holds. */
export function compileSchedule(schedule: Schedule, accountTimezone: string): TimingOf {
  const { delaySeconds = 0, window, cancelOn, restartBy, dueAt, expiresSeconds } = schedule;
  const aimedAt = dueAt === undefined ? () => delaySeconds * 1000 : compileDueAt(dueAt, accountTimezone);
  const toWindow = window === undefined ? (instant: number) => instant : compileWindow(window, accountTimezone);
  const cancelKey = cancelOn === undefined ? noKey : compileStoredKeyAt(cancelOn.by);
  const restartKey = restartBy === undefined ? noKey : compileStoredKeyAt(restartBy);
  return (payload, receivedAt) => {
    const now = receivedAt.getTime();
    const wait = aimedAt(payload, now);
    if (typeof wait === "object") return wait;
    const due = toWindow(now + wait);
    return {
      dueAt: due > now ? new Date(due) : null,
      // The time counts from before the window: a reminder that waits for one must not leave after the time that it reminds of.
      expiresAt: expiresSeconds === undefined ? null : new Date(now + wait + expiresSeconds * 1000),
      cancelBy: cancelKey(payload),
      restartBy: restartKey(payload),
    };
  };
}

/** Whether the message of an event that came at that time would be too late by now. */
export function hasExpired(schedule: TimingOf | null | undefined, payload: JsonObject, receivedAt: Date, now: Date): boolean {
  const timing = schedule?.(payload, receivedAt) ?? null;
  return timing !== null && !("code" in timing) && timing.expiresAt !== null && timing.expiresAt <= now;
}

const noKey = (): null => null;

const mostAheadMs = 400 * 86_400_000;
const mostSeen = 100;

/** The wait from now in milliseconds, 0 or more. */
function compileDueAt({ path, offsetSeconds, ifPast }: NonNullable<Schedule["dueAt"]>, timezone: string) {
  const keys = path.split(".");
  return (payload: JsonObject, now: number): number | DueProblem => {
    const value = followKeys(payload, keys);
    const date = typeof value === "string" ? parseIsoDate(value, timezone) : null;
    if (date === null || date > now + mostAheadMs) return { code: "due_unreadable", path, saw: shown(value) };
    const wait = date + offsetSeconds * 1000 - now;
    if (wait >= 0) return wait;
    return ifPast === "send" ? 0 : { code: "due_past", path, saw: shown(value) };
  };
}

function shown(value: JsonValue | undefined): string | null {
  const text = typeof value === "string" && value !== "" ? value : textOf(value, mostSeen);
  return text === undefined ? null : storableText(shorten(text, mostSeen));
}

const secondMs = 1000;

/** The waits after the first try, the second and so on; the last one also follows all further tries. */
const waits = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, hourMs, 4 * hourMs, 12 * hourMs];

/** Each wait is shortened or prolonged by at most this part, so that messages that failed together are not tried again together. */
const jitter = 0.2;

/**
 * When a message is tried again after its `attempt`th try, 1 for the first, has failed; null when that is later than `retryHours` (0: never) after
 * `firstAt`.
 * @param random From 0 to 1
 * @param scale Shortens the waits, for tests
 */
export function nextAttempt(attempt: number, now: Date, firstAt: Date, retryHours: number, random: number, scale = 1): Date | null {
  const wait = waits[Math.min(attempt, waits.length) - 1] ?? 0;
  const next = now.getTime() + Math.round(scale * wait * (1 - jitter + 2 * jitter * random));
  return next > firstAt.getTime() + retryHours * hourMs ? null : new Date(next);
}
