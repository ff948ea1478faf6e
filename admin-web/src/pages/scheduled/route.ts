import { searchAmong, searchFlag, searchId, searchReader, searchText } from "../../ui/search-params.ts";

export const readScheduledSearch = searchReader({
  siteId: searchId,
  siteMode: searchAmong<"live" | "test">(["live", "test"]),
  /** The event's name. */
  event: searchText,
  /** The template's name. */
  template: searchText,
  phone: searchText,
  due: searchFlag,
});
export type ScheduledFilters = ReturnType<typeof readScheduledSearch>;
