import { LRUCache } from "lru-cache";
import type { JudgedBinding } from "shared/core/plan";
import { noteBindingUses } from "shared/db/binding";
import { noteReplays } from "shared/db/event/answer";
import { makeReconcileDue } from "shared/db/reconcile";
import { addRefusedRequests, type RefusedRequestRow } from "shared/db/refused-request";
import { noteConnected, notePinged } from "shared/db/site";
import { addProvenRequests, type ProvenRequests } from "shared/db/site-proven";
import { noteSecretUses } from "shared/db/site-secret";
import { noteTopic } from "shared/db/site-topic";
import { withTimeout } from "shared/db/statement";
import { noteSends, type SendCount } from "shared/db/waiting/pace";
import type { GatewayContext } from "../context.ts";
import { createGathered } from "./gathered.ts";
import { keepRefused, type KnownRequest } from "./refused.ts";
import type { SiteConfig } from "./sites.ts";

type NotedSite = Pick<SiteConfig, "id" | "inbound">;
type SecretUse = Parameters<typeof noteSecretUses>[1][number];
type BindingUse = Parameters<typeof noteBindingUses>[1][number];
type Replays = Parameters<typeof noteReplays>[1][number];

/** What events and requests leave behind for the dashboard and for alerts. A note that fails, or is slow, fails no request. */
export type Notes = ReturnType<typeof createNotes>;

const longestNoteMs = 500;
/** How often the same is noted: what concerns a site, a use of a secret, and one of a binding. */
const [siteMs, secretMs, bindingMs] = [1_000, 60_000, 3_600_000];
/** Sites whose refused requests are kept between two writes, and events whose duplicates are counted. */
const [mostSites, mostReplayed] = [1_000, 10_000];

export function createNotes(context: GatewayContext) {
  const { sql } = context;
  const { noted, isNew, write } = createNoted(context);
  const gathered = gather(context, () => noted.clear());

  return {
    /** The keys and secrets that proved a request, by their ids: operators see whether an old one can be removed. */
    used: (ids: readonly string[], at: Date): void => {
      for (const id of ids) if (isNew(id, secretMs)) gathered.secrets.add(id, { id, at });
    },
    /** The bindings with conditions that fired, and those whose conditions are unmet: operators see conditions that never hold. */
    judged: (judged: readonly JudgedBinding[], at: Date): void => {
      for (const { binding, unmet } of judged) {
        const { id: binding_id, version } = binding;
        const [fired_at, held_at] = unmet === null ? [at, null] : [null, at];
        // A use counts for one version of the binding.
        if (isNew(`${unmet === null} ${binding_id} ${version}`, bindingMs))
          gathered.bindings.add(binding_id, { binding_id, fired_at, held_at });
      }
    },
    /**
     * Counts a request whose proof is right, once however often it is judged. Answers a promise for the site's first one: true once it is noted, which makes
     * this copy of the site outdated.
     */
    proven: (site: NotedSite, request: { isCounted?: boolean }, at: Date): Promise<boolean> | undefined => {
      if (request.isCounted !== true) gathered.requests.add(site.id, { site_id: site.id, requests: 1, last_at: at });
      request.isCounted = true;
      if (site.inbound.isConnected || !isNew(site.id, siteMs)) return undefined;
      return write(site.id, () => noteConnected(sql, site.id, at));
    },
    /** Remembers a request for the people who set its sender up, if `error` refuses it for a reason of its own. Never throws. */
    refused: (site: Pick<SiteConfig, "id">, request: KnownRequest, error: unknown): void =>
      keepRefused(gathered.refused, site.id, request, error),
    /** The event's answer was given again: operators see why a second request sent nothing. */
    replayed: (site_id: string, id: string): void => gathered.replays.add(id, { site_id, id, times: 1 }),
    /** The shop has tried its address. */
    pinged: async ({ id, inbound }: NotedSite, at: Date): Promise<void> => {
      if (!inbound.isPinged) await write(`ping ${id}`, () => notePinged(sql, id, at));
    },
    /** The shop's order has more to tell than was taken of it: where it can be fetched, that is done at once. */
    hasMore: async (siteId: string): Promise<void> => void (await write(`more ${siteId}`, () => makeReconcileDue(sql, siteId))),
    topic: async (siteId: string, topic: string | null, at: Date): Promise<void> => {
      const key = `${siteId} ${topic}`;
      if (topic !== null && isNew(key, siteMs)) await write(key, () => noteTopic(sql, siteId, topic, at));
    },
    /** Requests to the platform, and how many of them got no sensible answer, for the backlog's pace. */
    sent: (account_id: string, count: number, unanswered = 0): void => gathered.sends.add(account_id, { account_id, count, unanswered }),
    /** Writes the remaining notes. */
    stop: async (): Promise<void> => void (await Promise.all(Object.values(gathered).map((kind) => kind.stop()))),
  };
}

/** Remembers what was noted a short time ago. */
function createNoted({ log, clock }: GatewayContext) {
  /** Until when the same is not noted again (monotonic ms). */
  const noted = new LRUCache<string, number>({ max: 50_000 });
  /** Whether the same was not noted within `ms`; from now on it is. */
  const isNew = (key: string, ms: number): boolean => {
    const now = clock.monotonic();
    const isDue = now >= (noted.get(key) ?? 0);
    if (isDue) noted.set(key, now + ms);
    return isDue;
  };
  /** Writes a note. One that fails is new again. */
  const write = async (key: string, note: () => Promise<unknown>): Promise<boolean> => {
    try {
      await withTimeout(note(), longestNoteMs);
      return true;
    } catch (error) {
      noted.delete(key);
      log.debug({ err: error }, "a site's request is not noted");
      return false;
    }
  };
  return { noted, isNew, write };
}

/** What is gathered. `forgetUses`: uses are to be noted anew. */
function gather(context: GatewayContext, forgetUses: () => void) {
  const { sql, config, instanceId } = context;
  const requests = createGathered<ProvenRequests>(context, {
    name: "counts of valid requests",
    everyMs: config.timeLimits.provenMs,
    write: (rows) => addProvenRequests(sql, rows),
    merge: (known, more) => {
      known.requests += more.requests;
      if (more.last_at > known.last_at) known.last_at = more.last_at;
    },
    onLost: (lost) => lost.forEach((row) => requests.add(row.site_id, row)),
  });
  const sends = createGathered<SendCount>(context, {
    name: "counts of sent messages",
    write: (rows) => noteSends(sql, instanceId, rows),
    merge: (known, more) => {
      known.count += more.count;
      known.unanswered += more.unanswered;
    },
  });
  const replays = createGathered<Replays>(context, {
    name: "counts of duplicates",
    most: mostReplayed,
    write: (rows) => noteReplays(sql, rows),
    merge: (known, more) => void (known.times += more.times),
  });
  const uses = { name: "uses", onLost: forgetUses };
  const secrets = createGathered<SecretUse>(context, { ...uses, write: (rows) => noteSecretUses(sql, rows), merge: Object.assign });
  const bindings = createGathered<BindingUse>(context, {
    ...uses,
    write: (rows) => noteBindingUses(sql, rows),
    merge: (known, { fired_at, held_at }) => {
      known.fired_at = fired_at ?? known.fired_at;
      known.held_at = held_at ?? known.held_at;
    },
  });
  const refused = createGathered<RefusedRequestRow[]>(context, {
    name: "refused requests",
    most: mostSites,
    write: (rows) => addRefusedRequests(sql, rows.flat()),
    merge: (known, more) => void known.push(...more),
  });
  return { requests, sends, replays, secrets, bindings, refused };
}
