import { type NotificationStatus, notificationStatuses } from "shared/core/message";
import { notificationsCsv } from "../../paths.ts";
import { daySpan, fileAddress, searchDayOrTime, searchId, searchOneOf, searchText } from "../../ui/search-params.ts";

export interface LogFilters {
  /** A phone, a wamid, or the id of a message, an event or an order. */
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
  /** Days in the reader's time zone, YYYY-MM-DD, or ISO 8601 instants. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The filters, the open message and the running resend job. */
export interface LogSearch extends LogFilters {
  open?: string | undefined;
  resends?: string | undefined;
}

export const readLogSearch = (search: Record<string, unknown>): LogSearch => ({
  search: searchText(search["search"]),
  siteId: searchId(search["siteId"]),
  status: searchOneOf(notificationStatuses, search["status"]),
  event: searchText(search["event"]),
  template: searchText(search["template"]),
  phone: searchText(search["phone"]),
  errorCode: searchText(search["errorCode"]),
  eventId: searchId(search["eventId"]),
  from: searchDayOrTime(search["from"]),
  to: searchDayOrTime(search["to"]),
  open: searchId(search["open"]),
  resends: searchId(search["resends"]),
});

/** Keeps the search parameters except for `changes`; an empty change removes its parameter. */
export const changeLogSearch =
  (changes: { [Name in keyof LogSearch]: string | null | undefined }) =>
  (now: Record<string, unknown>): LogSearch =>
    readLogSearch({ ...now, ...changes });

export function filtersOf({ open: _open, resends: _resends, ...filters }: LogSearch): LogFilters {
  return filters;
}

/** The filters as the server takes them. */
export const logFilter = (filters: LogFilters): LogFilters => ({ ...filters, ...daySpan(filters) });

export const csvAddress = (filters: LogFilters): string => fileAddress(notificationsCsv, logFilter(filters));
