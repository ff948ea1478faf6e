import {
  searchAmong,
  searchChanger,
  searchDayOrTime,
  searchFlag,
  searchId,
  type SearchOf,
  searchPhone,
  searchReader,
  searchText,
} from "../../ui/list/search-params.ts";

const filters = {
  /** An order's number, a name, a part of a phone, a value or an ID. */
  search: searchText,
  /** The phone whose events, messages and opt-outs are shown, E.164. */
  phone: searchPhone,
  /** An outcome as the answer names it (`chat`); the page has the labels. */
  outcome: searchText,
  siteId: searchId,
  /** The event's name. */
  event: searchText,
  /** Our id of the order. */
  orderId: searchId,
  test: searchFlag,
  siteMode: searchAmong(["live", "test"]),
  dryRun: searchFlag,
  /** The reason why a message has no recipient, or `any`. */
  unreached: searchUnreached,
  /** Days in the reader's time zone, YYYY-MM-DD, or ISO 8601 instants. */
  from: searchDayOrTime,
  to: searchDayOrTime,
};

export type EventFilters = SearchOf<typeof filters>;

const page = { ...filters, open: searchId };

/** The filters and the open event. */
export type EventsSearch = SearchOf<typeof page>;
export const readEventsSearch = searchReader(page);
export const changeEventsSearch = searchChanger(readEventsSearch);

function searchUnreached(value: unknown): string | undefined {
  const key = searchText(value);
  // The server knows the keys; to know them here too would cost every page their list.
  return key !== undefined && /^any$|_/u.test(key) ? key : undefined;
}
