import { notificationStatuses, type NotificationStatus } from "shared/core/message";
import type { OverviewRow } from "shared/db/notification/statistics";
import { classify } from "shared/platform/errors/classify";
import { explain } from "shared/platform/errors/classify";
import { localErrors } from "shared/platform/errors/local-errors";

type Counts = Record<NotificationStatus, number>;

/** Every status and every day is there, also those with nothing; of sites, templates and error codes those that had messages. */
export function presentOverview(rows: readonly OverviewRow[]) {
  const days = gather(rows, "day", (row) => row.date);
  const totals = noneOfAny();
  for (const counts of days.values()) for (const status of notificationStatuses) totals[status] += counts[status];
  return {
    totals,
    days: [...days].map(([date, counts]) => ({ date, ...counts })),
    sites: [...gather(rows, "site", (row) => row.site_id)].map(([siteId, counts]) => ({ siteId, ...counts })),
    templates: [...gather(rows, "template", (row) => row.template)].map(([template, counts]) => ({ template, ...counts })),
    errors: rows
      .flatMap(({ by, error_code: code, count }) =>
        by === "error" && code !== null && code !== ""
          ? [{ code, title: titleOf(code), explanation: explain({ code, subcode: null }), count }]
          : [],
      )
      .toSorted((a, b) => b.count - a.count),
  };
}

function gather(rows: readonly OverviewRow[], by: OverviewRow["by"], keyOf: (row: OverviewRow) => string | null): Map<string, Counts> {
  const groups = new Map<string, Counts>();
  for (const row of rows) {
    const key = row.by === by ? keyOf(row) : null;
    if (key === null) continue;
    const counts = groups.get(key) ?? noneOfAny();
    groups.set(key, counts);
    if (row.status !== null) counts[row.status] += row.count;
  }
  return groups;
}

const titleOf = (code: string): string => localErrors.get(code)?.title ?? classify({ code }).title;

const noneOfAny = (): Counts => Object.fromEntries(notificationStatuses.map((status) => [status, 0])) as Counts;
