import { problemKinds, problemStates } from "shared/core/problem/problem";
import { searchId, searchOneOf, type SearchOf, searchReader } from "../../ui/search-params.ts";

const filters = {
  /** `open` unless said; `all` for every state. */
  state: (value: unknown) => searchOneOf([...problemStates, "all"], value),
  siteId: searchId,
  kind: (value: unknown) => searchOneOf(problemKinds, value),
};

export type ProblemsSearch = SearchOf<typeof filters>;

export const readProblemsSearch = searchReader(filters);
