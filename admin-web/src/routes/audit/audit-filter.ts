import { auditCsv } from "../../paths.ts";
import type { AuditSearch } from "./audit-search.ts";

/** What the server takes: instants for the days, of which the last belongs to the span whole. */
export const auditFilter = ({ from, to, ...rest }: AuditSearch): AuditSearch => ({
  ...rest,
  from: from && midnight(from, 0).toISOString(),
  to: to && new Date(midnight(to, 1).getTime() - 1).toISOString(),
});

/** Where the same entries can be had as a file. */
export function csvAddress(search: AuditSearch): string {
  const given = Object.entries(auditFilter(search)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? auditCsv : `${auditCsv}?${new URLSearchParams(given).toString()}`;
}

/** In the reader's zone, `later` days after the named one. */
function midnight(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later);
}
