import { searchText } from "../../ui/search-params.ts";

export interface DevelopersSearch {
  /** The search of the documentation. */
  q?: string | undefined;
}

export const readDevelopersSearch = ({ q }: Record<string, unknown>): DevelopersSearch => ({ q: searchText(q) });
