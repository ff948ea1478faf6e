import { groupings } from "shared/core/message";
import { searchAmong, searchDay, searchId, type SearchOf, searchReader } from "../../ui/search-params.ts";

const filters = {
  siteId: searchId,
  by: searchAmong(groupings),
  /** Days, both included. */
  from: searchDay,
  to: searchDay,
};

export type StatisticsSearch = SearchOf<typeof filters>;

export const readStatisticsSearch = searchReader(filters);
