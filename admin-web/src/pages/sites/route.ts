import { searchReader, searchText, searchTrue } from "../../ui/list/search-params.ts";

/** `create`: the form for a new site is open. */
export const readSitesSearch = searchReader({ search: searchText, create: searchTrue });
