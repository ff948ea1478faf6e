import type { HeldSite, LearningCursors } from "shared/db/event-kind";

/** The id behind which a site's events are read. `reached`: how far this run has come already, which the cursors may not have. */
export function startOf(site: HeldSite, reached: string | undefined): string {
  const start = site.overdue ? site.settled : site.fresh;
  return reached === undefined ? start : greater(start, reached);
}

/**
 * The cursors after a page that began behind `start` and ended with `last` (null: it was empty). `isFull`: there is more behind it. Neither cursor ever
 * goes back, and they move to ids that there are, so that they meet when nothing new comes.
 */
export function advance(
  site: HeldSite,
  start: string,
  page: { last: string | null; isFull: boolean },
): Pick<LearningCursors, "fresh" | "settled"> {
  const last = page.last ?? start;
  const end = page.isFull ? last : greater(last, site.fresh);
  return {
    fresh: greater(site.fresh, lesser(end, site.fresh_limit)),
    // Only a page that begins where the settled events end leaves none out.
    settled: start <= site.settled ? greater(site.settled, lesser(end, site.settled_limit)) : site.settled,
  };
}

const greater = (a: string, b: string): string => (a > b ? a : b);
const lesser = (a: string, b: string): string => (a < b ? a : b);
