import { LRUCache } from "lru-cache";
import { noteConnected, notePinged } from "shared/db/site";
import { addProvenRequests, type ProvenRequests } from "shared/db/site-proven";
import { noteTopic } from "shared/db/site-topic";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "./sites.ts";

type NotedSite = Pick<SiteConfig, "id" | "inbound">;

/** Notes of a site's requests, for its page and for alerts. A failed or slow note fails no request. */
export interface SiteNotes {
  /**
   * Counts a request whose proof is right, once however often it is judged. Answers a promise for the site's first one: true once it is noted, which makes
   * this copy of the site outdated.
   */
  proven(site: NotedSite, request: object, at: Date): Promise<boolean> | undefined;
  /** The shop has tried its address. */
  pinged(site: NotedSite, at: Date): Promise<void>;
  topic(siteId: string, topic: string | null, at: Date): Promise<void>;
  /** Writes the remaining counts. */
  stop(): Promise<void>;
}

const longestNoteMs = 500;

export function createSiteNotes(context: Pick<GatewayContext, "sql" | "log" | "config">): SiteNotes {
  const { sql, log } = context;
  const counts = createProvenCounts(context);
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: 1_000 });

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
    proven(site, request, at) {
      counts.add(site.id, request, at);
      if (site.inbound.isConnected || noted.has(site.id)) return undefined;
      return once(site.id, () => noteConnected(sql, site.id, at));
    },
    async pinged({ id, inbound }, at) {
      if (!inbound.isPinged) await once(`ping ${id}`, () => notePinged(sql, id, at));
    },
    async topic(siteId, topic, at) {
      const key = `${siteId} ${topic}`;
      if (topic !== null && !noted.has(key)) await once(key, () => noteTopic(sql, siteId, topic, at));
    },
    stop: () => counts.stop(),
  };
}

/** Counts are gathered and written in the background in one statement. A crash loses those of the last seconds. */
function createProvenCounts({ sql, log, config }: Pick<GatewayContext, "sql" | "log" | "config">) {
  const { provenMs, statementMs } = config.timeLimits;
  const counted = new WeakSet<object>();
  let pending = new Map<string, ProvenRequests>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const put = (siteId: string, requests: number, at: Date): void => {
    const { requests: before, last_at: last } = pending.get(siteId) ?? { requests: 0, last_at: at };
    pending.set(siteId, { site_id: siteId, requests: before + requests, last_at: last > at ? last : at });
    timer ??= setTimeout(() => void (writing = flush()), provenMs).unref();
  };

  const flush = async (): Promise<void> => {
    timer = undefined;
    const rows = [...pending.values()];
    pending = new Map();
    if (rows.length === 0) return;
    try {
      await withTimeout(addProvenRequests(sql, rows), statementMs);
    } catch (error) {
      log.debug({ err: error }, "valid requests are not counted yet");
      for (const { site_id, requests, last_at } of rows) put(site_id, requests, last_at);
    }
  };

  return {
    add(siteId: string, request: object, at: Date): void {
      if (counted.has(request)) return;
      counted.add(request);
      put(siteId, 1, at);
    },
    stop: async () => {
      clearTimeout(timer);
      await writing;
      await flush();
      clearTimeout(timer);
    },
  };
}
