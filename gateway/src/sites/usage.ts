import { LRUCache } from "lru-cache";
import { createLane } from "shared/db/batch/lane";
import type { Sql } from "shared/db/connect";
import { takeSiteRates } from "shared/db/site-for-ingest";
import { noteSecretUses } from "shared/db/site-secret";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";

export interface RateLimit {
  /** Whether the site may accept one more request this second, over all gateways. */
  take(siteId: string, allowedPerSecond: number): Promise<boolean>;
}

/** Requests of one moment share a statement, which may take `limitMs`, so that a flood over the limit stays cheap. */
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
      const left = await withTimeout(takeSiteRates(sql, [...wanted.values()]), limitMs);
      return items.map(({ siteId }) => {
        const n = left.get(siteId) ?? 0;
        left.set(siteId, n - 1);
        return n > 0;
      });
    },
  });
  return { take: (siteId, allowed) => lane.add({ siteId, allowed }) };
}

/** Which keys and secrets are in use: tells operators whether an old one can be removed. */
export interface SecretUsage {
  /** Notes that the secrets were used; costs no statement of its own. */
  note(ids: readonly string[], at: Date): void;
  /** Writes the remaining notes. */
  stop(): Promise<void>;
}

const everyMs = 60_000;
const remembered = 20_000;

/** Notes are gathered and written in the background in one statement, each secret's once a minute at most. A crash loses the last second's. */
export function createSecretUsage({ sql, log, config }: Pick<GatewayContext, "sql" | "log" | "config">): SecretUsage {
  const { secretUsesMs, statementMs } = config.timeLimits;
  const noted = new LRUCache<string, number>({ max: remembered });
  let pending = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = undefined;
    const uses = Array.from(pending, ([id, at]) => ({ id, at }));
    pending = new Map();
    if (uses.length === 0) return;
    try {
      await withTimeout(noteSecretUses(sql, uses), statementMs);
    } catch (error) {
      for (const { id } of uses) noted.delete(id);
      log.debug({ err: error }, "uses of secrets not written; the next use tries again");
    }
  };

  return {
    note(ids, at) {
      for (const id of ids) {
        const last = noted.get(id);
        if (last !== undefined && Math.abs(at.getTime() - last) < everyMs) continue;
        noted.set(id, at.getTime());
        pending.set(id, at);
        timer ??= setTimeout(() => void (writing = write()), secretUsesMs).unref();
      }
    },
    stop: async () => {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
