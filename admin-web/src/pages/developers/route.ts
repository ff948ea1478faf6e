import { searchReader, searchText } from "../../ui/list/search-params.ts";

/** `q`: the search of the documentation. */
export const readDevelopersSearch = searchReader({ q: searchText });
