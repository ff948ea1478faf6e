import { deepMerge } from "@mantine/core";
import { flattenSchedule, mergeSchedule } from "shared/core/schedule/merge";
import type { Schedule } from "shared/core/schedule/schedule";
import { t } from "../../language.ts";
import { tableOf } from "../../ui/base/labels.ts";
import type { Issue } from "../../ui/form/input-issues.ts";
import labels from "./labels.json";
import schedules from "./schedule.json";

/** When a binding's messages leave, as the server takes it. */
export type SavedSchedule = ReturnType<typeof flattenSchedule>;

export const units = [
  { seconds: 60, name: t("minutes") },
  { seconds: 3_600, name: t("hours") },
  { seconds: 86_400, name: t("days") },
  { seconds: 1, name: t("seconds") },
] as const;

/** A time as it is typed. */
interface DurationDraft {
  count: string;
  /** The length of the unit in seconds. */
  unit: string;
}

/** The fields of the section, named as the members that they make. Those that are switched off keep their values. */
export interface ScheduleDraft {
  start: "now" | "delay" | "date";
  delaySeconds: DurationDraft;
  dueAt: { path: string; offsetSeconds: DurationDraft; side: "before" | "after"; ifPast: "send" | "skip" };
  /** Times as time fields have them: 00:00 is also the end of a day. `timezone`: empty for the account's. */
  window: { on: boolean; days: string[]; from: string; to: string; timezone: string };
  cancelOn: { on: boolean; events: string[]; by: string };
  restartBy: { on: boolean; path: string };
  throttle: { on: boolean; max: string; seconds: DurationDraft };
  expiresSeconds: DurationDraft & { on: boolean };
}

export const emptySchedule = schedules.empty as ScheduleDraft;

interface Preset {
  name: string;
  /** The example's event, if none is chosen yet. */
  event?: string;
  /** True if it comes to what is there. */
  isAdded?: boolean;
  schedule: object;
}

export const presets = Object.entries(tableOf(labels.presets)).map(([preset, name]): Preset => ({
  name,
  ...schedules.presets[preset as keyof typeof schedules.presets],
}));

/** The fields with a preset in place of what was there, or added to it. */
export const withPreset = (before: ScheduleDraft, { isAdded = false, schedule }: Preset): ScheduleDraft =>
  deepMerge(isAdded ? before : emptySchedule, schedule);

/** The schedule that the fields say. A time that is no number becomes 0, which the server refuses. */
export function toSchedule(draft: ScheduleDraft): SavedSchedule {
  const { start, window, cancelOn, restartBy, throttle, expiresSeconds } = draft;
  return {
    delaySeconds: start === "delay" ? secondsOf(draft.delaySeconds) : null,
    window: window.on ? windowOf(window) : null,
    cancelOn: cancelOn.on ? { events: cancelOn.events, by: cancelOn.by.trim() } : null,
    restartBy: restartBy.on ? restartBy.path.trim() : null,
    dueAt: start === "date" ? dueAtOf(draft.dueAt) : null,
    expiresSeconds: expiresSeconds.on ? secondsOf(expiresSeconds) : null,
    throttle: throttle.on ? { max: readCount(throttle.max), seconds: secondsOf(throttle.seconds) } : null,
  };
}

const windowOf = ({ days, from, to, timezone }: ScheduleDraft["window"]): Schedule["window"] & object => ({
  days: days.map(Number).toSorted((a, b) => a - b),
  from,
  to: to === "00:00" ? "24:00" : to,
  ...(timezone !== "" && { timezone }),
});

function dueAtOf({ path, offsetSeconds, side, ifPast }: ScheduleDraft["dueAt"]): Schedule["dueAt"] & object {
  const seconds = offsetSeconds.count.trim() === "0" ? 0 : secondsOf(offsetSeconds) || NaN;
  return { path: path.trim(), offsetSeconds: side === "before" && seconds !== 0 ? -seconds : seconds, ifPast };
}

const secondsOf = ({ count, unit }: DurationDraft): number => readCount(count) * Number(unit);

const readCount = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : 0);

export function toScheduleDraft(saved: SavedSchedule): ScheduleDraft {
  const { delaySeconds, window, cancelOn, restartBy, dueAt, expiresSeconds, throttle } = saved;
  return deepMerge(emptySchedule, {
    start: delaySeconds !== null ? "delay" : dueAt !== null ? "date" : "now",
    ...(delaySeconds !== null && { delaySeconds: toDuration(delaySeconds) }),
    ...(dueAt !== null && {
      dueAt: { ...dueAt, offsetSeconds: toDuration(Math.abs(dueAt.offsetSeconds)), side: dueAt.offsetSeconds > 0 ? "after" : "before" },
    }),
    ...(window !== null && { window: { ...window, on: true, days: window.days.map(String), to: window.to.replace("24:00", "00:00") } }),
    ...(cancelOn !== null && { cancelOn: { ...cancelOn, on: true } }),
    ...(restartBy !== null && { restartBy: { on: true, path: restartBy } }),
    ...(throttle !== null && { throttle: { on: true, max: String(throttle.max), seconds: toDuration(throttle.seconds) } }),
    ...(expiresSeconds !== null && { expiresSeconds: { ...toDuration(expiresSeconds), on: true } }),
  });
}

/** The duration in the largest unit of which it is a multiple; up to two days in hours. */
function toDuration(seconds: number): DurationDraft {
  const size = [86_400, 3_600, 60].find((each) => seconds % each === 0 && seconds >= each && (each < 86_400 || seconds > 172_800)) ?? 1;
  return { count: String(seconds / size), unit: String(seconds === 0 ? 3_600 : size) };
}

const spans: Partial<Record<string, string>> = {
  delaySeconds: "30 days",
  expiresSeconds: "365 days",
  "throttle.seconds": "30 days",
  "dueAt.offsetSeconds": "365 days",
};

const faults: Partial<Record<string, string>> = tableOf(labels.faults);

/** An issue that the server would find in a schedule, in the words of the fields. */
export function inFieldWords(issue: Issue, { window }: Pick<SavedSchedule, "window">): Issue {
  const name = issue.path.join(".");
  const span = spans[name];
  const isWhole = name !== "window.to" || (window?.to !== "" && window?.to === window?.from);
  const message = span === undefined ? isWhole && faults[name] : t("Enter a whole number, at most {span} in all.", { span });
  return message ? { ...issue, message } : issue;
}

/** The schedule without the members that are not finished yet. */
export function wholeSchedule(binding: SavedSchedule, issues: readonly Issue[]): SavedSchedule {
  const faulty = Object.fromEntries(issues.map(({ path: [member] }) => [member, null]));
  return flattenSchedule(mergeSchedule({ ...binding, ...faulty }));
}
