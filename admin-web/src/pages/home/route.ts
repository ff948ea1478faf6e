import { searchId, searchReader } from "../../ui/list/search-params.ts";

/** Days that the overview can show; the first is the default. */
export const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];

export const readHomeSearch = searchReader({
  days: (value: unknown): Span | undefined => spans.find((span) => span === value && span !== spans[0]),
  siteId: searchId,
});
export type HomeSearch = ReturnType<typeof readHomeSearch>;
