import { LRUCache } from "lru-cache";
import type { JudgedBinding } from "shared/core/plan";
import { createLane } from "shared/db/batch/lane";
import { noteBindingUses } from "shared/db/binding";
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

/** The uses of something, noted without a statement of their own. */
interface Notes {
  note(keys: readonly string[], at: Date): void;
  /** Writes the remaining notes. */
  stop(): Promise<void>;
}

interface Note {
  key: string;
  at: Date;
}

const remembered = 20_000;

/** Notes are gathered and written in the background in one statement, each key's once in `everyMs` at most. A crash loses those of the last second. */
function createNotes(
  { log, config }: Pick<GatewayContext, "log" | "config">,
  { everyMs, write }: { everyMs: number; write: (notes: Note[]) => Promise<unknown> },
): Notes {
  const { secretUsesMs, statementMs } = config.timeLimits;
  const noted = new LRUCache<string, number>({ max: remembered });
  let pending = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    timer = undefined;
    const notes = Array.from(pending, ([key, at]) => ({ key, at }));
    pending = new Map();
    if (notes.length === 0) return;
    try {
      await withTimeout(write(notes), statementMs);
    } catch (error) {
      for (const { key } of notes) noted.delete(key);
      log.debug({ err: error }, "notes of use not written; the next use tries again");
    }
  };

  return {
    note(keys, at) {
      for (const key of keys) {
        const last = noted.get(key);
        if (last !== undefined && Math.abs(at.getTime() - last) < everyMs) continue;
        noted.set(key, at.getTime());
        pending.set(key, at);
        timer ??= setTimeout(() => void (writing = flush()), secretUsesMs).unref();
      }
    },
    stop: async () => {
      clearTimeout(timer);
      await writing;
      await flush();
    },
  };
}

/** The keys and secrets in use, by their ids, so that operators see whether an old one can be removed. */
export type SecretUsage = Notes;

export const createSecretUsage = (context: Pick<GatewayContext, "sql" | "log" | "config">): SecretUsage =>
  createNotes(context, {
    everyMs: 60_000,
    write: (notes) =>
      noteSecretUses(
        context.sql,
        notes.map(({ key: id, at }) => ({ id, at })),
      ),
  });

/** The bindings with conditions that fire, and those that are held back, so that operators see conditions that never hold. */
export interface BindingUsage {
  note(judged: readonly JudgedBinding[], at: Date): void;
  stop(): Promise<void>;
}

export function createBindingUsage(context: Pick<GatewayContext, "sql" | "log" | "config">): BindingUsage {
  const notes = createNotes(context, {
    everyMs: 3_600_000,
    write: (uses) => noteBindingUses(context.sql, bindingUses(uses)),
  });
  return {
    note: (judged, at) =>
      notes.note(
        judged.map(({ binding, unmet }) => `${unmet === null ? fired : held}${binding.id}`),
        at,
      ),
    stop: () => notes.stop(),
  };
}

const [fired, held] = ["fired ", "held "];

/** One row for each binding, since a statement cannot write a row twice. */
function bindingUses(notes: readonly Note[]) {
  const times = new Map(notes.map(({ key, at }) => [key, at]));
  const ids = new Set(notes.map(({ key }) => key.slice(key.indexOf(" ") + 1)));
  return [...ids].map((id) => ({ binding_id: id, fired_at: times.get(fired + id) ?? null, held_at: times.get(held + id) ?? null }));
}
