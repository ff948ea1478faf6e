import { searchDay, searchFlag, searchId, searchText } from "../../ui/search-params.ts";

/** Which events are listed. */
export interface EventFilters {
  siteId?: string | undefined;
  /** The event's name. */
  event?: string | undefined;
  /** The order's id with us. */
  orderId?: string | undefined;
  test?: boolean | undefined;
  dryRun?: boolean | undefined;
  /** Days of the reader's own, YYYY-MM-DD. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The filters of the events and the one that is open, as they stand in the address. */
export interface EventsSearch extends EventFilters {
  open?: string | undefined;
}

export const readEventsSearch = (search: Record<string, unknown>): EventsSearch => ({
  siteId: searchId(search["siteId"]),
  event: searchText(search["event"]),
  orderId: searchId(search["orderId"]),
  test: searchFlag(search["test"]),
  dryRun: searchFlag(search["dryRun"]),
  from: searchDay(search["from"]),
  to: searchDay(search["to"]),
  open: searchId(search["open"]),
});

/** The address with some of it changed. */
export const changeEventsSearch =
  (changes: { [Name in keyof EventsSearch]: EventsSearch[Name] | null }) =>
  (now: Record<string, unknown>): EventsSearch =>
    readEventsSearch({ ...now, ...changes });
