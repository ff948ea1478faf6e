import { searchId } from "../../ui/search-params.ts";

/** Days that the overview can show; the first is the default. */
export const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];

export interface HomeSearch {
  days?: Span | undefined;
  siteId?: string | undefined;
}

export const readHomeSearch = ({ days, siteId }: Record<string, unknown>): HomeSearch => ({
  days: spans.find((span) => span === days && span !== spans[0]),
  siteId: searchId(siteId),
});
