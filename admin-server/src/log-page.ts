import { uuidFloor } from "shared/core/uuid";
import type { LogPage } from "shared/db/paging";

/** The ids that a page of the log may show. Times and cursor bound the same thing, because an id carries its time. */
export function toLogPage(range: { from?: number | undefined; to?: number | undefined }, cursor: string | null, limit: number): LogPage {
  const from = range.from === undefined ? null : floorOf(range.from);
  const afterLast = range.to === undefined ? null : floorOf(range.to + 1);
  const before = cursor === null || (afterLast !== null && afterLast < cursor) ? afterLast : cursor;
  return { from, before, limit };
}

/** What a version 7 UUID has room for. */
const lastMs = 2 ** 48 - 1;

const floorOf = (ms: number): string => uuidFloor(Math.min(Math.max(ms, 0), lastMs));
