import { searchId, type SearchOf, searchReader, searchText } from "../../ui/search-params.ts";

const start = {
  siteId: searchId,
  event: searchText,
  templateId: searchId,
  /** A binding whose template, recipient and variables it takes over. */
  copyOf: searchId,
};

/** What a new binding begins with. */
export type NewBindingSearch = SearchOf<typeof start>;

export const readNewBindingSearch = searchReader(start);
