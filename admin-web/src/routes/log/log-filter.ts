import { notificationsCsv } from "../../paths.ts";
import { daySpan } from "../../ui/filters/day-span.ts";
import { fileAddress } from "../../ui/filters/file-address.ts";
import type { LogFilters, LogSearch } from "./log-search.ts";

/** The filters of an address alone. */
export function filtersOf({ open: _open, resends: _resends, ...filters }: LogSearch): LogFilters {
  return filters;
}

/** What the server takes. */
export const logFilter = (filters: LogFilters): LogFilters => ({ ...filters, ...daySpan(filters) });

/** Where the same messages can be had as a file. */
export const csvAddress = (filters: LogFilters): string => fileAddress(notificationsCsv, logFilter(filters));
