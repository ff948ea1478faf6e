import { searchText } from "../../ui/search-params.ts";

/** What is looked for among the sites, and whether one is being made, as it stands in the address. */
export interface SitesSearch {
  search?: string | undefined;
  /** Whether the form for a new one is open. */
  create?: true | undefined;
}

export const readSitesSearch = ({ search, create }: Record<string, unknown>): SitesSearch => ({
  search: searchText(search),
  create: create === true || undefined,
});
