export const mostCancelEvents = 20;

/** The members of a binding that say when its messages leave, as they are given. */
export interface ScheduleInput {
  delaySeconds?: number | null | undefined;
  window?: { days: number[]; from: string; to: string; timezone?: string | undefined } | null | undefined;
  cancelOn?: { events: string[]; by: string } | null | undefined;
  restartBy?: string | null | undefined;
  dueAt?: { path: string; offsetSeconds: number; ifPast: "send" | "skip" } | null | undefined;
  expiresSeconds?: number | null | undefined;
  throttle?: { max: number; seconds: number } | null | undefined;
}
export const scheduleNames = ["delaySeconds", "window", "cancelOn", "restartBy", "dueAt", "expiresSeconds", "throttle"] as const;
export type ScheduleMember = (typeof scheduleNames)[number];

/** When a binding's messages leave; unset members are absent. */
export type Schedule = { [Member in ScheduleMember]?: NonNullable<ScheduleInput[Member]> };
