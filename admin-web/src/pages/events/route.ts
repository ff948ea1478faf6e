import { readUnreachedKey } from "shared/core/unreached";
import { searchDay, searchFlag, searchId, searchText } from "../../ui/search-params.ts";

export interface EventFilters {
  siteId?: string | undefined;
  /** The event's name. */
  event?: string | undefined;
  /** Our id of the order. */
  orderId?: string | undefined;
  test?: boolean | undefined;
  dryRun?: boolean | undefined;
  /** Why a message has no recipient, or `any`. */
  unreached?: string | undefined;
  /** Days in the reader's time zone, YYYY-MM-DD. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The filters and the open event. */
export interface EventsSearch extends EventFilters {
  open?: string | undefined;
}

export const readEventsSearch = (search: Record<string, unknown>): EventsSearch => ({
  siteId: searchId(search["siteId"]),
  event: searchText(search["event"]),
  orderId: searchId(search["orderId"]),
  test: searchFlag(search["test"]),
  dryRun: searchFlag(search["dryRun"]),
  unreached: searchUnreached(search["unreached"]),
  from: searchDay(search["from"]),
  to: searchDay(search["to"]),
  open: searchId(search["open"]),
});

function searchUnreached(value: unknown): string | undefined {
  const key = searchText(value);
  return key === "any" || (key !== undefined && readUnreachedKey(key) !== null) ? key : undefined;
}

/** Keeps the search parameters except for `changes`; null removes one. */
export const changeEventsSearch =
  (changes: { [Name in keyof EventsSearch]: EventsSearch[Name] | null }) =>
  (now: Record<string, unknown>): EventsSearch =>
    readEventsSearch({ ...now, ...changes });
