import { type Grouping, groupings } from "shared/core/message";
import { searchDay, searchId, searchOneOf } from "../../ui/search-params.ts";

export interface StatisticsSearch {
  siteId?: string | undefined;
  by?: Grouping | undefined;
  /** Days, both included. */
  from?: string | undefined;
  to?: string | undefined;
}

export const readStatisticsSearch = (search: Record<string, unknown>): StatisticsSearch => ({
  siteId: searchId(search["siteId"]),
  by: searchOneOf(groupings, search["by"]),
  from: searchDay(search["from"]),
  to: searchDay(search["to"]),
});

/** Keeps the search parameters except for `changes`; an empty change removes its parameter. */
export const changeStatisticsSearch =
  (changes: { [Name in keyof StatisticsSearch]: string | null | undefined }) =>
  (now: Record<string, unknown>): StatisticsSearch =>
    readStatisticsSearch({ ...now, ...changes });
