import { hasArrived, type NotificationStatus, notificationStatuses, statusesIn, statusFacts } from "shared/core/message";
import { t } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { toneColor } from "../../ui/base/facts.tsx";
import { daysBack, midnight } from "../../ui/list/days.ts";

/** Messages of a day, by status. */
export type Day = Outputs["stats"]["overview"]["days"][number];

export interface DayBounds {
  /** ISO 8601. */
  from: string;
  /** The end, which is not included. */
  to: string;
}

/** The last `days` days in the zone, today included, and as many before them. The same all day, so that queries stay cached. */
export function dayBounds(timeZone: string, days: number, now: Date): DayBounds & { before: DayBounds } {
  const today = daysBack(0, now, timeZone);
  const from = midnight(today, 1 - days, timeZone);
  return { from, to: midnight(today, 1, timeZone), before: { from: midnight(today, 1 - 2 * days, timeZone), to: from } };
}

export type Counts = Record<NotificationStatus, number>;

/** Messages that reached each stage: a read message was also delivered and sent. Rates are of all that were sent or failed; of reads, of the delivered. */
export function reached(counts: Counts) {
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

/** A message is counted once, in its last status. */
const labels = { read: t("Read"), delivered: t("Delivered, not read"), sent: t("Sent, not confirmed"), failed: t("Failed") };

/** Every status of a message that was handed over or failed, from the bottom of a column up. */
export const series = [...statusesIn("accepted").toReversed(), ...statusesIn("closed")].map((name) => ({
  name,
  label: labels[name],
  color: toneColor(statusFacts[name].tone),
}));
