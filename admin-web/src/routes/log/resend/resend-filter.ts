import { readLogSearch } from "shared/core/message";
import { logFilter } from "../log-filter.ts";
import type { LogFilters } from "../log-search.ts";

/** What the server takes to send failed messages again, or why these filters name none. */
export function resendFilter(filters: LogFilters): { input: Omit<LogFilters, "search" | "status"> } | { why: string } {
  const { search, status, ...rest } = logFilter(filters);
  if (status !== undefined && status !== "failed")
    return { why: `Only failed messages can be sent again, and the filter shows those with the status ${status}.` };
  if (search === undefined) return { input: rest };
  const taken = readLogSearch(search);
  if (!("phone" in taken)) return { why: "The search names single messages; open one to send it again, or clear the search." };
  if (rest.phone !== undefined && rest.phone !== taken.phone)
    return { why: "The search and the filter name two phones, so nothing fits both." };
  return { input: { ...rest, phone: taken.phone } };
}
