import { LRUCache } from "lru-cache";
import type { JudgedBinding } from "shared/core/plan";
import { createLane } from "shared/db/batch/lane";
import { noteBindingUses } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { takeSiteRates } from "shared/db/site-for-ingest";
import { noteSecretUses } from "shared/db/site-secret";
import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";
import { createGathered } from "../gathered.ts";

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

const remembered = 20_000;

/** Uses of something, each key's written once in `everyMs` at most. */
function createUses<Key extends string>(
  context: Pick<GatewayContext, "log" | "config">,
  { everyMs, write }: { everyMs: number; write: (uses: { id: Key; at: Date }[]) => Promise<unknown> },
) {
  const noted = new LRUCache<string, number>({ max: remembered });
  const { note, stop } = createGathered<{ id: Key; at: Date }>(context, {
    name: "uses",
    everyMs: context.config.timeLimits.secretUsesMs,
    most: remembered,
    write,
    onLost: (lost) => lost.forEach((_, id) => noted.delete(id)),
  });
  return {
    note: (ids: readonly Key[], at: Date): void => {
      for (const id of ids) {
        const last = noted.get(id);
        if (last !== undefined && Math.abs(at.getTime() - last) < everyMs) continue;
        noted.set(id, at.getTime());
        note(id, () => ({ id, at }));
      }
    },
    stop,
  };
}

/** The keys and secrets in use, by their ids, so that operators see whether an old one can be removed. */
export type SecretUsage = ReturnType<typeof createSecretUsage>;

export const createSecretUsage = (context: Pick<GatewayContext, "sql" | "log" | "config">) =>
  createUses(context, { everyMs: 60_000, write: (uses) => noteSecretUses(context.sql, uses) });

/** The bindings with conditions that fire, and those whose conditions are unmet, so that operators see conditions that never hold. */
export function createBindingUsage(context: Pick<GatewayContext, "sql" | "log" | "config">) {
  const { note, stop } = createUses<`${"fired" | "unmet"} ${string}`>(context, {
    everyMs: 3_600_000,
    write: (uses) => noteBindingUses(context.sql, bindingUses(uses)),
  });
  return {
    note: (judged: readonly JudgedBinding[], at: Date): void =>
      note(
        judged.map(({ binding, unmet }) => `${unmet === null ? "fired" : "unmet"} ${binding.id}` as const),
        at,
      ),
    stop,
  };
}

/** One row for each binding, since a statement cannot write a row twice. */
function bindingUses(uses: readonly { id: string; at: Date }[]) {
  const times = new Map(uses.map(({ id, at }) => [id, at]));
  const bindings = new Set(uses.map(({ id }) => id.slice(id.indexOf(" ") + 1)));
  const timeOf = (what: string, id: string): Date | null => times.get(`${what} ${id}`) ?? null;
  return Array.from(bindings, (id) => ({ binding_id: id, fired_at: timeOf("fired", id), held_at: timeOf("unmet", id) }));
}
