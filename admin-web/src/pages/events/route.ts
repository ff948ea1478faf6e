import { readUnreachedKey } from "shared/core/unreached";
import { searchDay, searchFlag, searchId, searchText } from "../../ui/search-params.ts";

export interface EventFilters {
  /** An order's number, a name, a part of a phone, a value or an ID. */
  search?: string | undefined;
  /** Everything of one phone, E.164. */
  phone?: string | undefined;
  /** What became of them; the page knows the words. */
  outcome?: string | undefined;
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
  search: searchText(search["search"]),
  phone: searchPhone(search["phone"]),
  outcome: searchText(search["outcome"]),
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

/** E.164; the router reads it as a number, without its plus. */
function searchPhone(value: unknown): string | undefined {
  const digits = searchText(value)?.replace(/^\+/u, "");
  return digits !== undefined && /^[1-9]\d{6,14}$/u.test(digits) ? `+${digits}` : undefined;
}

function searchUnreached(value: unknown): string | undefined {
  const key = searchText(value);
  return key === "any" || (key !== undefined && readUnreachedKey(key) !== null) ? key : undefined;
}

/** Keeps the search parameters except for `changes`; null removes one. */
export const changeEventsSearch =
  (changes: { [Name in keyof EventsSearch]: EventsSearch[Name] | null }) =>
  (now: Record<string, unknown>): EventsSearch =>
    readEventsSearch({ ...now, ...changes });
