import { LRUCache } from "lru-cache";
import { createLane } from "shared/db/batch/lane";
import type { Sql } from "shared/db/connect";
import { loadSitesForIngest } from "shared/db/site-for-ingest";
import { within } from "shared/db/transaction";
import type { Vault } from "shared/secrets/vault";
import { type SiteConfig, toSiteConfig } from "./site-config.ts";

/** The sites as this gateway last saw them. Never trusted for an acceptance (the claim compares versions) nor for a refusal (`refresh` first). */
export interface SiteDirectory {
  /** What is cached, if anything, of whatever age. */
  peek(siteId: string): SiteConfig | undefined;
  /** The site as a statement that starts after this call sees it, null when there is none. */
  refresh(siteId: string): Promise<SiteConfig | null>;
}

/**
 * However many refusals ask for a refresh, one statement is under way at a time and they start `intervalMs` apart: a flood of bad keys or signatures
 * costs a bounded number of statements and not one each. A statement may take `limitMs`.
 */
export function createSiteDirectory(options: {
  sql: Sql;
  vault: Vault;
  limitMs: number;
  capacity?: number;
  intervalMs?: number;
}): SiteDirectory {
  const { sql, vault, limitMs, capacity = 10_000, intervalMs = 25 } = options;
  const cache = new LRUCache<string, SiteConfig>({ max: capacity });
  let notBefore = 0;

  const load = async (ids: string[]): Promise<(SiteConfig | null)[]> => {
    const rows = await within(limitMs, loadSitesForIngest(sql, [...new Set(ids)]));
    const sites = new Map(rows.map((row) => [row.id, toSiteConfig(row, vault)]));
    for (const id of ids) {
      const site = sites.get(id);
      if (site) cache.set(id, site);
      else cache.delete(id);
    }
    return ids.map((id) => sites.get(id) ?? null);
  };

  const lane = createLane<string, SiteConfig | null>({ run: load, maxItems: 1000, splits: () => false, pace: () => paced() });
  const paced = async (): Promise<void> => {
    const wait = notBefore - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    notBefore = performance.now() + intervalMs;
  };

  return { peek: (siteId) => cache.get(siteId), refresh: (siteId) => lane.add(siteId) };
}
