import { notificationStatuses, type NotificationStatus } from "shared/core/notification-status";
import type { DayCount } from "shared/db/tables/notification/count-by-day";

type Counts = Record<NotificationStatus, number>;

/** Every status and every day is there, also those with nothing. */
export function presentOverview(rows: readonly DayCount[]): { totals: Counts; days: ({ date: string } & Counts)[] } {
  const totals = noneOfAny();
  const days = new Map<string, Counts>();
  for (const { date, status, count } of rows) {
    const day = days.get(date) ?? noneOfAny();
    days.set(date, day);
    if (status === null) continue;
    day[status] += count;
    totals[status] += count;
  }
  return { totals, days: [...days].map(([date, counts]) => ({ date, ...counts })) };
}

const noneOfAny = (): Counts => Object.fromEntries(notificationStatuses.map((status) => [status, 0])) as Counts;
