/** The ids that a page of the log may show: `from` included, `before` excluded. Ids carry their time, so the bounds also select partitions. */
export interface LogPage {
  from: string | null;
  before: string | null;
  limit: number;
}
