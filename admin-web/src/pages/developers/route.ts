import { searchText } from "../../ui/search-params.ts";

export interface DevelopersSearch {
  /** What the documentation is searched for. */
  q?: string | undefined;
}

export const readDevelopersSearch = ({ q }: Record<string, unknown>): DevelopersSearch => ({ q: searchText(q) });
