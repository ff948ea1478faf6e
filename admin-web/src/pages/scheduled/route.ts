import { searchId, searchText } from "../../ui/search-params.ts";

export interface ScheduledFilters {
  siteId?: string | undefined;
  /** The event's name. */
  event?: string | undefined;
  /** The template's name. */
  template?: string | undefined;
  phone?: string | undefined;
}

export const readScheduledSearch = (search: Record<string, unknown>): ScheduledFilters => ({
  siteId: searchId(search["siteId"]),
  event: searchText(search["event"]),
  template: searchText(search["template"]),
  phone: searchText(search["phone"]),
});

/** Keeps the search parameters except for `changes`; an empty change removes its parameter. */
export const changeScheduledSearch =
  (changes: { [Name in keyof ScheduledFilters]: string | null | undefined }) =>
  (now: Record<string, unknown>): ScheduledFilters =>
    readScheduledSearch({ ...now, ...changes });
