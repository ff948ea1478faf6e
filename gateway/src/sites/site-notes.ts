import { LRUCache } from "lru-cache";
import { noteConnected, notePinged } from "shared/db/site";
import { addProvenRequests, type ProvenRequests } from "shared/db/site-proven";
import { noteTopic } from "shared/db/site-topic";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import { createGathered } from "../gathered.ts";
import type { SiteConfig } from "./sites.ts";

type NotedSite = Pick<SiteConfig, "id" | "inbound">;

/** Notes of a site's requests, for its page and for alerts. A failed or slow note fails no request. */
export type SiteNotes = ReturnType<typeof createSiteNotes>;

const longestNoteMs = 500;

export function createSiteNotes(context: Pick<GatewayContext, "sql" | "log" | "config">) {
  const { sql, log, config } = context;
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: 1_000 });
  const counted = new WeakSet<object>();
  const counts = createGathered<ProvenRequests>(context, {
    name: "counts of valid requests",
    everyMs: config.timeLimits.provenMs,
    write: (rows) => addProvenRequests(sql, rows),
    onLost: (lost) => lost.forEach(count),
  });
  function count({ site_id, requests, last_at }: ProvenRequests): void {
    counts.note(site_id, (known) => ({
      site_id,
      requests: (known?.requests ?? 0) + requests,
      last_at: known !== undefined && known.last_at > last_at ? known.last_at : last_at,
    }));
  }

  /** Writes a note at most once a second, until it succeeds. */
  const once = async (key: string, note: () => Promise<unknown>): Promise<boolean> => {
    noted.set(key, true);
    try {
      await withTimeout(note(), longestNoteMs);
      return true;
    } catch (error) {
      noted.delete(key);
      log.debug({ err: error }, "a site's request is not noted");
      return false;
    }
  };

  return {
    /**
     * Counts a request whose proof is right, once however often it is judged. Answers a promise for the site's first one: true once it is noted, which makes
     * this copy of the site outdated.
     */
    proven(site: NotedSite, request: object, at: Date): Promise<boolean> | undefined {
      if (!counted.has(request)) count({ site_id: site.id, requests: 1, last_at: at });
      counted.add(request);
      if (site.inbound.isConnected || noted.has(site.id)) return undefined;
      return once(site.id, () => noteConnected(sql, site.id, at));
    },
    /** The shop has tried its address. */
    async pinged({ id, inbound }: NotedSite, at: Date): Promise<void> {
      if (!inbound.isPinged) await once(`ping ${id}`, () => notePinged(sql, id, at));
    },
    async topic(siteId: string, topic: string | null, at: Date): Promise<void> {
      const key = `${siteId} ${topic}`;
      if (topic !== null && !noted.has(key)) await once(key, () => noteTopic(sql, siteId, topic, at));
    },
    stop: counts.stop,
  };
}
