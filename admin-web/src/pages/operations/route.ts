import { searchId, type SearchOf, searchReader, searchText } from "../../ui/search-params.ts";

/** The server knows the kinds and the states: their lists stay out of what every page loads. */
const filters = { kind: searchText, state: searchText, siteId: searchId };

export type OperationsSearch = SearchOf<typeof filters>;

export const readOperationsSearch = searchReader(filters);
