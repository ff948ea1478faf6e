import { type Said, say } from "../wording.ts";
import { type Schedule, type ScheduleInput, type ScheduleMember, scheduleNames } from "./schedule.ts";

/** The schedule of an input's members over the stored ones: null clears one, an absent one stays. Null when nothing is set. Equal ones become equal JSON texts. */
export function mergeSchedule(input: ScheduleInput, stored: Schedule | null = null): Schedule | null {
  const entries = scheduleNames.flatMap((name) => {
    const value = input[name] === undefined ? stored?.[name] : input[name];
    return value == null ? [] : [[name, value] as const];
  });
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Schedule);
}

/** The members in the form of answers: null where nothing is set. */
export const flattenSchedule = (schedule: Schedule | null) =>
  Object.fromEntries(scheduleNames.map((name) => [name, schedule?.[name] ?? null])) as {
    [Member in ScheduleMember]: NonNullable<ScheduleInput[Member]> | null;
  };

/** The problem of members that are right by themselves but make no sense together; null without one. */
export function scheduleProblem(schedule: Schedule | null): { path: [ScheduleMember]; said: Said } | null {
  if (schedule?.delaySeconds === undefined || schedule.dueAt === undefined) return null;
  return { path: ["delaySeconds"], said: say("must not be given together with dueAt; set one of the two to null") };
}
