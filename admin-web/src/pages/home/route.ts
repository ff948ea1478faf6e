import { searchId, type SearchOf, searchReader } from "../../ui/search-params.ts";

/** Days that the overview can show; the first is the default. */
export const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];

const filters = { days: (value: unknown): Span | undefined => spans.find((span) => span === value && span !== spans[0]), siteId: searchId };

export type HomeSearch = SearchOf<typeof filters>;

export const readHomeSearch = searchReader(filters);
