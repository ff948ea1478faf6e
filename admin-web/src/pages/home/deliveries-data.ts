import { hasArrived, type NotificationStatus, notificationStatuses, statusesIn, statusFacts } from "shared/core/message";
import { t, translated } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { toneColor } from "../../ui/status-badge.tsx";

/** Messages of a day, by status. */
export type Day = Outputs["stats"]["overview"]["days"][number];

const dayMs = 86_400_000;

export interface DayBounds {
  /** ISO 8601. */
  from: string;
  /** The end, which is not included. */
  to: string;
}

/** The last `days` days in the zone, today included, and as many before them. The same all day, so that queries stay cached. */
export function dayBounds(timeZone: string, days: number, now: Date): DayBounds & { before: DayBounds } {
  const today = dayIn(timeZone, now);
  const midnight = (daysAgo: number) => midnightOf(timeZone, today - daysAgo * dayMs).toISOString();
  const from = midnight(days - 1);
  return { from, to: midnight(-1), before: { from: midnight(2 * days - 1), to: from } };
}

/** The zone's calendar day, as its midnight in UTC. */
function dayIn(timeZone: string, at: Date): number {
  return Math.floor(wallTime(timeZone, at.getTime()) / dayMs) * dayMs;
}

/** The zone's own midnight. Two steps, as the first guess may lie on the other side of a clock change. */
function midnightOf(timeZone: string, day: number): Date {
  const guess = day - offset(timeZone, day);
  return new Date(day - offset(timeZone, guess));
}

const offset = (timeZone: string, at: number): number => wallTime(timeZone, at) - at;

/** The zone's wall time, read as UTC. */
function wallTime(timeZone: string, at: number): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

export type Counts = Record<NotificationStatus, number>;

/** Messages that reached each stage: a read message was also delivered and sent. */
export interface Reached {
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  /** The share of all messages that were sent or failed. */
  deliveryRate: number | null;
  /** The share of all messages that were delivered. */
  readRate: number | null;
  failureRate: number | null;
}

export function reached(counts: Counts): Reached {
  const { read, failed } = counts;
  const sum = (statuses: readonly NotificationStatus[]) => statuses.reduce((total, status) => total + counts[status], 0);
  const [sent, delivered] = [sum(statusesIn("accepted")), sum(notificationStatuses.filter(hasArrived))];
  return {
    sent,
    delivered,
    read,
    failed,
    deliveryRate: share(delivered, sent + failed),
    readRate: share(read, delivered),
    failureRate: share(failed, sent + failed),
  };
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Every status of a message that was handed over or failed, from the bottom of a column up. */
export const series = [...statusesIn("accepted").toReversed(), ...statusesIn("closed")].map((name) => ({
  name,
  label: seriesLabel(name),
  color: toneColor(statusFacts[name].tone),
}));

/** A message is counted once, in its last status. */
function seriesLabel(status: NotificationStatus): string {
  if (status === "sent") return t("Sent, not confirmed");
  return status === "delivered" ? t("Delivered, not read") : translated(statusFacts[status].label);
}
