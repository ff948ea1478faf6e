import { type NotificationStatus, notificationStatuses } from "shared/core/message";
import { notificationsCsv } from "../../paths.ts";
import { daySpan, fileAddress, searchDay, searchId, searchOneOf, searchText } from "../../ui/search-params.ts";

/** The filters of an address alone. */
export function filtersOf({ open: _open, resends: _resends, ...filters }: LogSearch): LogFilters {
  return filters;
}

/** What the server takes. */
export const logFilter = (filters: LogFilters): LogFilters => ({ ...filters, ...daySpan(filters) });

/** Where the same messages can be had as a file. */
export const csvAddress = (filters: LogFilters): string => fileAddress(notificationsCsv, logFilter(filters));

/** What the log is looked through for. */
export interface LogFilters {
  /** A phone, the platform's id of a message, or the id of a message, an event or an order. */
  search?: string | undefined;
  siteId?: string | undefined;
  status?: NotificationStatus | undefined;
  /** The event's name. */
  event?: string | undefined;
  /** The template's name. */
  template?: string | undefined;
  phone?: string | undefined;
  errorCode?: string | undefined;
  eventId?: string | undefined;
  /** Days of the reader's own, YYYY-MM-DD. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The log's filters, the message that is open and the resends that are under way, as they stand in the address. */
export interface LogSearch extends LogFilters {
  open?: string | undefined;
  resends?: string | undefined;
}

/** What an address says is kept, but for `changes`; what is empty in these is taken away. */
export const changeLogSearch =
  (changes: { [Name in keyof LogSearch]: string | null | undefined }) =>
  (now: Record<string, unknown>): LogSearch =>
    readLogSearch({ ...now, ...changes });

export const readLogSearch = (search: Record<string, unknown>): LogSearch => ({
  search: searchText(search["search"]),
  siteId: searchId(search["siteId"]),
  status: searchOneOf(notificationStatuses, search["status"]),
  event: searchText(search["event"]),
  template: searchText(search["template"]),
  phone: searchText(search["phone"]),
  errorCode: searchText(search["errorCode"]),
  eventId: searchId(search["eventId"]),
  from: searchDay(search["from"]),
  to: searchDay(search["to"]),
  open: searchId(search["open"]),
  resends: searchId(search["resends"]),
});
