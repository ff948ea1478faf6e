import type { ProblemKind, ProblemState } from "shared/core/problem/problem";
import { searchId, searchReader, searchText } from "../../ui/list/search-params.ts";

/** The server knows the kinds and the states: their lists stay out of what every page loads. */
export const readProblemsSearch = searchReader({
  /** `open` unless said; `all` for every state. */
  state: (value: unknown) => searchText(value) as ProblemState | "all" | undefined,
  search: searchText,
  siteId: searchId,
  kind: (value: unknown) => searchText(value) as ProblemKind | undefined,
});
export type ProblemsSearch = ReturnType<typeof readProblemsSearch>;
