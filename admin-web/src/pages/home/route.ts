import { searchId } from "../../ui/search-params.ts";

/** How many days the overview may look back; the first unless another is chosen. */
export const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];

/** What the overview shows, as it stands in the address. */
export interface HomeSearch {
  days?: Span | undefined;
  siteId?: string | undefined;
}

export const readHomeSearch = ({ days, siteId }: Record<string, unknown>): HomeSearch => ({
  days: spans.find((span) => span === days && span !== spans[0]),
  siteId: searchId(siteId),
});
