import { searchId, type SearchOf, searchReader, searchText } from "../../ui/search-params.ts";

const filters = {
  /** `open` unless said; `all` for every state. The page has the names. */
  state: searchText,
  siteId: searchId,
  /** A kind of problems; the page has their labels. */
  kind: searchText,
};

export type ProblemsSearch = SearchOf<typeof filters>;

export const readProblemsSearch = searchReader(filters);
