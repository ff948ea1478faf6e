import { searchId, searchReader, searchText } from "../../ui/list/search-params.ts";

/** The server knows the kinds and the states: their lists stay out of what every page loads. */
export const readOperationsSearch = searchReader({ search: searchText, kind: searchText, state: searchText, siteId: searchId });
export type OperationsSearch = ReturnType<typeof readOperationsSearch>;
