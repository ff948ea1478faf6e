import { createLane } from "shared/db/batch/lane";
import type { Sql } from "shared/db/connect";
import { takeSiteRates } from "shared/db/site-for-ingest";
import { within } from "shared/db/transaction";

export interface RateLimit {
  /** Whether the site may accept one more request this second, over all gateways. */
  take(siteId: string, allowedPerSecond: number): Promise<boolean>;
}

/** Requests of the same moment share one statement, of `limitMs` at most, so that a flood over the limit stays cheap. */
export function createRateLimit(sql: Sql, limitMs: number): RateLimit {
  const lane = createLane<{ siteId: string; allowed: number }, boolean>({
    maxItems: 10_000,
    splits: () => false,
    run: async (items) => {
      const wanted = new Map<string, { site_id: string; allowed: number; wanted: number }>();
      for (const { siteId, allowed } of items) {
        const site = wanted.get(siteId) ?? { site_id: siteId, allowed, wanted: 0 };
        wanted.set(siteId, { ...site, allowed: Math.min(site.allowed, allowed), wanted: site.wanted + 1 });
      }
      const left = await within(limitMs, takeSiteRates(sql, [...wanted.values()]));
      return items.map(({ siteId }) => {
        const n = left.get(siteId) ?? 0;
        left.set(siteId, n - 1);
        return n > 0;
      });
    },
  });
  return { take: (siteId, allowed) => lane.add({ siteId, allowed }) };
}
