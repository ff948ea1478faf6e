import { flattenSchedule, mergeSchedule, type Schedule } from "shared/core/schedule/schedule";
import { t } from "../../language.ts";
import type { Issue } from "../../ui/input-form.tsx";

/** When a binding's messages leave, as the server takes it. */
export type SavedSchedule = ReturnType<typeof flattenSchedule>;

export const units = [
  { seconds: 60, name: t("minutes") },
  { seconds: 3_600, name: t("hours") },
  { seconds: 86_400, name: t("days") },
  { seconds: 1, name: t("seconds") },
] as const;

/** A time as it is typed. */
export interface DurationDraft {
  count: string;
  /** The length of the unit in seconds. */
  unit: number;
}

/** The fields of the section. Those that are switched off keep their values. */
export interface ScheduleDraft {
  start: "now" | "delay" | "date";
  delay: DurationDraft;
  datePath: string;
  dateOffset: DurationDraft;
  dateSide: "before" | "after";
  ifPast: "send" | "skip";
  hasWindow: boolean;
  days: number[];
  /** Times as time fields have them: 00:00 is also the end of a day. */
  from: string;
  to: string;
  /** The window's time zone; empty for the account's. */
  timezone: string;
  hasCancel: boolean;
  cancelEvents: string[];
  cancelBy: string;
  hasRestart: boolean;
  restartBy: string;
  hasThrottle: boolean;
  most: string;
  per: DurationDraft;
  hasExpiry: boolean;
  expiry: DurationDraft;
}

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const hours = (count: number): DurationDraft => ({ count: String(count), unit: 3_600 });
const days = (count: number): DurationDraft => ({ count: String(count), unit: 86_400 });

export const emptySchedule: ScheduleDraft = {
  start: "now",
  delay: hours(1),
  datePath: "",
  dateOffset: hours(24),
  dateSide: "before",
  ifPast: "skip",
  hasWindow: false,
  days: everyDay,
  from: "08:00",
  to: "20:00",
  timezone: "",
  hasCancel: false,
  cancelEvents: [],
  cancelBy: "",
  hasRestart: false,
  restartBy: "",
  hasThrottle: false,
  most: "1",
  per: hours(24),
  hasExpiry: false,
  expiry: hours(12),
};

interface Preset {
  name: string;
  /** The example's event, if none is chosen yet. */
  event?: string;
  /** The schedule in place of the one before. */
  schedule: (before: ScheduleDraft) => ScheduleDraft;
}

export const presets: readonly Preset[] = [
  {
    name: t("Abandoned cart"),
    schedule: () => ({
      ...emptySchedule,
      start: "delay",
      hasRestart: true,
      restartBy: "cart.id",
      hasCancel: true,
      cancelEvents: ["order.created"],
      cancelBy: "cart.id",
      hasThrottle: true,
      hasExpiry: true,
    }),
  },
  {
    name: t("Appointment reminder"),
    schedule: () => ({ ...emptySchedule, start: "date", datePath: "data.appointment_at", hasWindow: true }),
  },
  {
    name: t("Review request"),
    event: "order.shipped",
    schedule: () => ({ ...emptySchedule, start: "delay", delay: days(3), hasWindow: true, from: "10:00" }),
  },
  { name: t("Quiet hours"), schedule: (before) => ({ ...before, hasWindow: true, days: everyDay, from: "08:00", to: "21:00" }) },
];

/** The schedule that the fields say. A time that is no number becomes 0, which the server refuses. */
export function toSchedule(draft: ScheduleDraft): SavedSchedule {
  const { start, hasWindow, hasCancel, hasRestart, hasThrottle, hasExpiry } = draft;
  return {
    delaySeconds: start === "delay" ? secondsOf(draft.delay) : null,
    window: hasWindow ? windowOf(draft) : null,
    cancelOn: hasCancel ? { events: draft.cancelEvents, by: draft.cancelBy.trim() } : null,
    restartBy: hasRestart ? draft.restartBy.trim() : null,
    dueAt: start === "date" ? dueAtOf(draft) : null,
    expiresSeconds: hasExpiry ? secondsOf(draft.expiry) : null,
    throttle: hasThrottle ? { max: readCount(draft.most), seconds: secondsOf(draft.per) } : null,
  };
}

const windowOf = ({ days: on, from, to, timezone }: ScheduleDraft): Schedule["window"] & object => ({
  days: on.toSorted((a, b) => a - b),
  from,
  to: to === "00:00" ? "24:00" : to,
  ...(timezone !== "" && { timezone }),
});

function dueAtOf({ datePath, dateOffset, dateSide, ifPast }: ScheduleDraft): Schedule["dueAt"] & object {
  const seconds = dateOffset.count.trim() === "0" ? 0 : secondsOf(dateOffset) || NaN;
  return { path: datePath.trim(), offsetSeconds: dateSide === "before" && seconds !== 0 ? -seconds : seconds, ifPast };
}

const secondsOf = ({ count, unit }: DurationDraft): number => readCount(count) * unit;

const readCount = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : 0);

export function toScheduleDraft({
  delaySeconds,
  window,
  cancelOn,
  restartBy,
  dueAt,
  expiresSeconds,
  throttle,
}: SavedSchedule): ScheduleDraft {
  return {
    ...emptySchedule,
    start: delaySeconds !== null ? "delay" : dueAt !== null ? "date" : "now",
    ...(delaySeconds !== null && { delay: toDuration(delaySeconds) }),
    ...(dueAt !== null && {
      datePath: dueAt.path,
      dateOffset: toDuration(Math.abs(dueAt.offsetSeconds)),
      dateSide: dueAt.offsetSeconds > 0 ? ("after" as const) : ("before" as const),
      ifPast: dueAt.ifPast,
    }),
    hasWindow: window !== null,
    ...(window !== null && { ...window, to: window.to === "24:00" ? "00:00" : window.to, timezone: window.timezone ?? "" }),
    hasCancel: cancelOn !== null,
    ...(cancelOn !== null && { cancelEvents: cancelOn.events, cancelBy: cancelOn.by }),
    hasRestart: restartBy !== null,
    ...(restartBy !== null && { restartBy }),
    hasThrottle: throttle !== null,
    ...(throttle !== null && { most: String(throttle.max), per: toDuration(throttle.seconds) }),
    hasExpiry: expiresSeconds !== null,
    ...(expiresSeconds !== null && { expiry: toDuration(expiresSeconds) }),
  };
}

/** The duration in the largest unit of which it is a multiple; up to two days in hours. */
function toDuration(seconds: number): DurationDraft {
  const size = [86_400, 3_600, 60].find((each) => seconds % each === 0 && seconds >= each && (each < 86_400 || seconds > 172_800)) ?? 1;
  return { count: String(seconds / size), unit: seconds === 0 ? 3_600 : size };
}

const spans: Partial<Record<string, string>> = {
  delaySeconds: "30 days",
  expiresSeconds: "365 days",
  "throttle.seconds": "30 days",
  "dueAt.offsetSeconds": "365 days",
};

/** An issue that the server would find in a schedule, in the words of the fields. */
export function inFieldWords(issue: Issue, { window }: Pick<SavedSchedule, "window">): Issue {
  const name = issue.path.join(".");
  const span = spans[name];
  if (name === "throttle.max") return { ...issue, message: t("Enter a whole number from 1 to 1,000.") };
  if (span !== undefined) return { ...issue, message: t("Enter a whole number, at most {span} in all.", { span }) };
  if (name === "window.days") return { ...issue, message: t("Choose at least one day.") };
  if (name === "window.to" && window?.to !== "" && window?.to === window?.from)
    return { ...issue, message: t("Must differ from the start.") };
  if (name === "cancelOn.events") return { ...issue, message: t("Enter 1 to 20 event names.") };
  if (name.endsWith(".timezone")) return { ...issue, message: t("Choose a time zone.") };
  return issue;
}

/** The schedule without the members that are not finished yet. */
export function wholeSchedule(binding: SavedSchedule, issues: readonly Issue[]): SavedSchedule {
  const faulty = Object.fromEntries(issues.map(({ path: [member] }) => [member, null]));
  return flattenSchedule(mergeSchedule({ ...binding, ...faulty }));
}
