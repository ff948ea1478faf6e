import { searchId, type SearchOf, searchReader, searchText } from "../../ui/list/search-params.ts";

const start = {
  siteId: searchId,
  event: searchText,
  templateId: searchId,
  /** The binding whose template, recipient and variables the new one takes over. */
  copyOf: searchId,
};

/** The start of a new binding. */
export type NewBindingSearch = SearchOf<typeof start>;

export const readNewBindingSearch = searchReader(start);
