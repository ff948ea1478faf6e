import { notificationStatuses } from "shared/core/message";
import { notificationsCsv } from "../../paths.ts";
import {
  daySpan,
  fileAddress,
  searchAmong,
  searchDayOrTime,
  searchFlag,
  searchId,
  type SearchOf,
  searchReader,
  searchText,
  searchTexts,
} from "../../ui/list/search-params.ts";

const filters = {
  /** A phone, a wamid, or the id of a message, an event or an order. */
  search: searchText,
  siteId: searchId,
  status: searchAmong(notificationStatuses),
  /** The event's name. */
  event: searchText,
  /** The template's name. */
  template: searchText,
  templateId: searchId,
  bindingId: searchId,
  phone: searchText,
  errorCode: searchText,
  /** Any of several error codes. */
  errorCodes: searchTexts,
  /** Messages of tests alone, or all others. */
  test: searchFlag,
  /** Messages of test sites alone, or all others. */
  siteMode: searchAmong(["live", "test"]),
  eventId: searchId,
  /** The messages of an operation. */
  operationId: searchId,
  /** Messages that failed then or later, ISO 8601. */
  failedFrom: searchDayOrTime,
  /** Days in the reader's time zone, YYYY-MM-DD, or ISO 8601 instants. */
  from: searchDayOrTime,
  to: searchDayOrTime,
};

export type LogFilters = SearchOf<typeof filters>;

/** `columns`: those that are shown, joined by dots. */
export const readLogSearch = searchReader({ ...filters, columns: searchText, open: searchId });
/** The filters and the open message. */
export type LogSearch = ReturnType<typeof readLogSearch>;

export const filtersOf = ({ open: _open, columns: _columns, ...filters }: LogSearch): LogFilters => filters;

/** The filters as the server takes them. */
export const logFilter = (filters: LogFilters): LogFilters => ({ ...filters, ...daySpan(filters) });

export const csvAddress = (filters: LogFilters): string => fileAddress(notificationsCsv, logFilter(filters));
