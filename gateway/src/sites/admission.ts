import { createLane } from "shared/db/batch/lane";
import { takeSiteRates } from "shared/db/site-for-ingest";
import type { Sql } from "shared/db/statement";
import { withTimeout } from "shared/db/transaction";

/** Whether a site may accept a request this second, over all gateways. A request counts once, however often it is checked. */
export type Admission = (siteId: string, allowedPerSecond: number, request: object) => Promise<boolean>;

/** Requests of one moment share a statement, which may take `limitMs`, so that a flood over the limit stays cheap. */
export function createAdmission(sql: Sql, limitMs: number): Admission {
  const counted = new WeakSet<object>();
  const lane = createLane<{ siteId: string; allowed: number }, boolean>({
    maxItems: 10_000,
    splits: () => false,
    run: async (items) => {
      const wanted = new Map<string, { site_id: string; allowed: number; wanted: number }>();
      for (const { siteId, allowed } of items) {
        const site = wanted.get(siteId) ?? { site_id: siteId, allowed, wanted: 0 };
        wanted.set(siteId, { ...site, allowed: Math.min(site.allowed, allowed), wanted: site.wanted + 1 });
      }
      const left = await withTimeout(takeSiteRates(sql, [...wanted.values()]), limitMs);
      return items.map(({ siteId }) => {
        const n = left.get(siteId) ?? 0;
        left.set(siteId, n - 1);
        return n > 0;
      });
    },
  });
  return async (siteId, allowed, request) => {
    if (counted.has(request)) return true;
    const isAdmitted = await lane.add({ siteId, allowed });
    if (isAdmitted) counted.add(request);
    return isAdmitted;
  };
}
