import { searchReader, searchText, searchTrue } from "../../ui/list/search-params.ts";

/** `create`: the form for a new site is open. */
export const readSitesSearch = searchReader({ search: searchText, state: searchText, sourceType: searchText, create: searchTrue });
export type SitesSearch = ReturnType<typeof readSitesSearch>;
