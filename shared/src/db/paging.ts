/** What of the log a page may show: ids from `from` up to, not including, `before`. Ids carry their time, so the bounds also choose the partitions. */
export interface LogPage {
  from: string | null;
  before: string | null;
  limit: number;
}
