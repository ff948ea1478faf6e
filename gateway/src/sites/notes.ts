import { LRUCache } from "lru-cache";
import type { JudgedBinding } from "shared/core/plan";
import { noteBindingUses } from "shared/db/binding";
import { makeReconcileDue } from "shared/db/reconcile";
import { noteConnected, notePinged } from "shared/db/site";
import { addProvenRequests, type ProvenRequests } from "shared/db/site-proven";
import { noteSecretUses } from "shared/db/site-secret";
import { noteTopic } from "shared/db/site-topic";
import { withTimeout } from "shared/db/transaction";
import { noteSends, type SendCount } from "shared/db/waiting/pace";
import type { GatewayContext } from "../context.ts";
import type { SiteConfig } from "./sites.ts";

type NotedSite = Pick<SiteConfig, "id" | "inbound">;
type NotesContext = Pick<GatewayContext, "sql" | "log" | "config" | "instanceId">;

/** What events and requests leave behind for the dashboard and for alerts. A note that fails, or is slow, fails no request. */
export type Notes = ReturnType<typeof createNotes>;

const longestNoteMs = 500;

export function createNotes(context: NotesContext) {
  const { sql, log } = context;
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: 1_000 });
  const counts = createCounts(context);
  const uses = createUses(context);

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
    /** The keys and secrets that proved a request, by their ids: operators see whether an old one can be removed. */
    used: uses.ofSecrets,
    /** The bindings with conditions that fired, and those whose conditions are unmet: operators see conditions that never hold. */
    judged: uses.ofBindings,
    /**
     * Counts a request whose proof is right, once however often it is judged. Answers a promise for the site's first one: true once it is noted, which makes
     * this copy of the site outdated.
     */
    proven: (site: NotedSite, request: { isCounted?: boolean }, at: Date): Promise<boolean> | undefined => {
      if (request.isCounted !== true) counts.proven(site.id, 1, at);
      request.isCounted = true;
      if (site.inbound.isConnected || noted.has(site.id)) return undefined;
      return once(site.id, () => noteConnected(sql, site.id, at));
    },
    /** The shop has tried its address. */
    pinged: async ({ id, inbound }: NotedSite, at: Date): Promise<void> => {
      if (!inbound.isPinged) await once(`ping ${id}`, () => notePinged(sql, id, at));
    },
    /** The shop's order has more to tell than was taken of it: where it can be fetched, that is done at once. */
    hasMore: async (siteId: string): Promise<void> => void (await once(`more ${siteId}`, () => makeReconcileDue(sql, siteId))),
    topic: async (siteId: string, topic: string | null, at: Date): Promise<void> => {
      const key = `${siteId} ${topic}`;
      if (topic !== null && !noted.has(key)) await once(key, () => noteTopic(sql, siteId, topic, at));
    },
    /** Requests to the platform, for the backlog's pace. */
    sent: counts.sent,
    /** Those of them that got no sensible answer. */
    unanswered: (accountId: string, more: number): void => counts.sent(accountId, 0, more),
    /** Writes the remaining notes. */
    stop: async (): Promise<void> => void (await Promise.all([counts.stop(), uses.stop()])),
  };
}

/** Counts valid requests by site, and sent messages by account. */
function createCounts(context: NotesContext) {
  const { sql, instanceId } = context;
  const { provenMs, sendCountsMs } = context.config.timeLimits;
  const requests = createGathered<ProvenRequests>(context, {
    name: "counts of valid requests",
    everyMs: provenMs,
    write: (rows) => addProvenRequests(sql, rows),
    onLost: (lost) => lost.forEach((row) => proven(row.site_id, row.requests, row.last_at)),
  });
  const sends = createGathered<SendCount>(context, {
    name: "counts of sent messages",
    everyMs: sendCountsMs,
    write: (rows) => noteSends(sql, instanceId, rows),
  });
  const proven = (site_id: string, more: number, at: Date): void => {
    const known = requests.get(site_id) ?? { site_id, requests: 0, last_at: at };
    known.requests += more;
    if (at > known.last_at) known.last_at = at;
    requests.set(site_id, known);
  };
  const sent = (account_id: string, more: number, unanswered = 0): void => {
    const known = sends.get(account_id) ?? { account_id, count: 0, unanswered: 0 };
    known.count += more;
    known.unanswered += unanswered;
    sends.set(account_id, known);
  };
  return { proven, sent, stop: () => Promise.all([requests.stop(), sends.stop()]) };
}

type SecretUse = Parameters<typeof noteSecretUses>[1][number];
type BindingUse = Parameters<typeof noteBindingUses>[1][number];

/** Uses of secrets, each one's written once a minute at most, and those of bindings, once an hour. */
function createUses(context: NotesContext) {
  const { sql } = context;
  const [secretsKnown, bindingsKnown] = [createKnown(60_000), createKnown(3_600_000)];
  const uses = { name: "uses", everyMs: context.config.timeLimits.secretUsesMs };
  const secrets = createGathered<SecretUse>(context, { ...uses, write: (rows) => noteSecretUses(sql, rows), onLost: secretsKnown.forget });
  const bindings = createGathered<BindingUse>(context, {
    ...uses,
    write: (rows) => noteBindingUses(sql, rows),
    onLost: bindingsKnown.forget,
  });
  return {
    ofSecrets: (ids: readonly string[], at: Date): void => {
      for (const id of ids) if (!secretsKnown.isKnown(id, at)) secrets.set(id, { id, at });
    },
    ofBindings: (judged: readonly JudgedBinding[], at: Date): void => {
      for (const { binding, unmet } of judged) {
        const { id: binding_id, version } = binding;
        const column = unmet === null ? "fired_at" : "held_at";
        // A use counts for one version of the binding.
        if (bindingsKnown.isKnown(`${column} ${binding_id} ${version}`, at)) continue;
        bindings.set(binding_id, { fired_at: null, held_at: null, ...bindings.get(binding_id), binding_id, [column]: at });
      }
    },
    stop: () => Promise.all([secrets.stop(), bindings.stop()]),
  };
}

/** Remembers what was noted within `everyMs`. */
function createKnown(everyMs: number) {
  const known = new LRUCache<string, number>({ max: 20_000 });
  return {
    isKnown: (key: string, at: Date): boolean => {
      const last = known.get(key);
      if (last !== undefined && Math.abs(at.getTime() - last) < everyMs) return true;
      known.set(key, at.getTime());
      return false;
    },
    forget: (): void => known.clear(),
  };
}

/**
 * Notes that requests leave behind, gathered in memory, one for each key, and written together `everyMs` after the first: they cost the requests no
 * statement, and a crash loses the last of them. Of further keys than `most` nothing is noted. `onLost` gets the notes of a statement that failed.
 */
export function createGathered<Note>(
  { log, config }: Pick<GatewayContext, "log" | "config">,
  of: {
    name: string;
    everyMs: number;
    most?: number;
    write: (notes: Note[]) => Promise<unknown>;
    onLost?: (notes: Map<string, Note>) => void;
  },
) {
  const { name, everyMs, most = 20_000, write, onLost } = of;
  let notes = new Map<string, Note>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    timer = undefined;
    const gathered = notes;
    notes = new Map();
    if (gathered.size === 0) return;
    try {
      await withTimeout(write([...gathered.values()]), config.timeLimits.statementMs);
    } catch (error) {
      log.debug({ err: error, notes: gathered.size }, `${name} are not written`);
      onLost?.(gathered);
    }
  };

  return {
    /** The key's note until it is written; it may be changed. */
    get: (key: string): Note | undefined => notes.get(key),
    set: (key: string, note: Note): void => {
      if (notes.size >= most && !notes.has(key)) return;
      notes.set(key, note);
      timer ??= setTimeout(() => void (writing = flush()), everyMs).unref();
    },
    /** Writes the remaining notes. */
    stop: async (): Promise<void> => {
      clearTimeout(timer);
      await writing;
      await flush();
      clearTimeout(timer);
    },
  };
}
