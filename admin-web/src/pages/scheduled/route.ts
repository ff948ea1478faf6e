import { searchAmong, searchFlag, searchId, type SearchOf, searchReader, searchText } from "../../ui/list/search-params.ts";

const filters = {
  search: searchText,
  siteId: searchId,
  siteMode: searchAmong<"live" | "test">(["live", "test"]),
  /** The event's name. */
  event: searchText,
  /** The template's name. */
  template: searchText,
  phone: searchText,
  due: searchFlag,
};

export type ScheduledFilters = SearchOf<typeof filters>;

/** The filters and the open message. */
export const readScheduledSearch = searchReader({ ...filters, open: searchId });
