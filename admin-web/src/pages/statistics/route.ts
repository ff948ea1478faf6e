import { groupings } from "shared/core/message";
import { searchAmong, searchDay, searchId, searchReader } from "../../ui/list/search-params.ts";

export const readStatisticsSearch = searchReader({
  siteId: searchId,
  by: searchAmong(groupings),
  /** Days, both included. */
  from: searchDay,
  to: searchDay,
});
export type StatisticsSearch = ReturnType<typeof readStatisticsSearch>;
