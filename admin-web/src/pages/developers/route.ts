import { searchText } from "../../ui/filters.tsx";

export interface DevelopersSearch {
  /** What the documentation is searched for. */
  q?: string | undefined;
}

export const readDevelopersSearch = ({ q }: Record<string, unknown>): DevelopersSearch => ({ q: searchText(q) });
