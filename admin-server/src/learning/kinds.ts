import { setImmediate as otherWork } from "node:timers/promises";
import { mergeFields, type Lesson } from "shared/core/fields/known";
import { learnFields } from "shared/core/fields/learn";
import { parseJson, type JsonValue } from "shared/core/json";
import type { Sql } from "shared/db/connect";
import {
  findEventKinds,
  type EventKindRow,
  type NewEvent,
  readPayloads,
  type HeldSite,
  type LearningCursors,
  type Lateness,
} from "shared/db/event-kind";

/** By site and name. */
export type Kinds = Map<string, EventKindRow>;

/** The kinds that the events are of, with when they were received last. `added`: how many were not known. */
export async function readKinds(sql: Sql, events: readonly NewEvent[]): Promise<{ kinds: Kinds; added: number }> {
  const newest = events.filter((event) => event.newest === 1);
  const known = await findEventKinds(
    sql,
    newest.map(({ site_id, name }) => ({ site_id, name })),
  );
  const kinds: Kinds = new Map(known.map((kind) => [keyOf(kind), kind]));
  for (const { site_id, name, id } of newest) {
    const before = kinds.get(keyOf({ site_id, name }));
    const isNewer = before === undefined || before.last_event_id < id;
    kinds.set(keyOf({ site_id, name }), {
      site_id,
      name,
      last_event_id: isNewer ? id : before.last_event_id,
      fields: before?.fields ?? [],
    });
  }
  return { kinds, added: kinds.size - known.length };
}

/** Adds to the kinds what the payloads of the events teach. */
export async function learnPayloads(sql: Sql, events: readonly NewEvent[], kinds: Kinds): Promise<void> {
  for (const chunk of chunksOf(events)) {
    const payloads = new Map((await readPayloads(sql, chunk)).map(({ id, payload }) => [id, payload]));
    const lessons = new Map<string, Lesson[]>();
    for (const event of chunk) {
      const lesson = { eventId: event.id, fields: learnFields(parsed(payloads.get(event.id))) };
      lessons.set(keyOf(event), [...(lessons.get(keyOf(event)) ?? []), lesson]);
      await otherWork();
    }
    for (const [key, learned] of lessons) {
      const kind = kinds.get(key);
      if (kind !== undefined) kind.fields = mergeFields(kind.fields, learned);
    }
  }
}

/** Null for a payload that was emptied, whatever stands in its place. */
function parsed(payload: string | undefined): JsonValue {
  try {
    return parseJson(payload ?? "");
  } catch {
    return null;
  }
}

const CHUNK_EVENTS = 100;
const CHUNK_BYTES = 4 * 1024 * 1024;

/** As many as are held in memory at a time. */
function chunksOf(events: readonly NewEvent[]): NewEvent[][] {
  const chunks: NewEvent[][] = [];
  let bytes = Infinity;
  for (const event of events) {
    bytes += event.bytes ?? 0;
    const chunk = chunks.at(-1);
    if (chunk !== undefined && bytes <= CHUNK_BYTES && chunk.length < CHUNK_EVENTS) {
      chunk.push(event);
    } else {
      chunks.push([event]);
      bytes = event.bytes ?? 0;
    }
  }
  return chunks;
}

const keyOf = ({ site_id, name }: { site_id: string; name: string }): string => `${site_id} ${name}`;

/** The id behind which a site's events are read. `reached`: how far this run has come already, which the cursors may not have. */
export function startOf(site: HeldSite, reached: string | undefined): string {
  const start = site.overdue ? site.settled : site.fresh;
  return reached === undefined ? start : greater(start, reached);
}

/**
 * The cursors after a page that began behind `start` and ended with `last` (null: it was empty). `isFull`: there is more behind it. Neither cursor ever
 * goes back, and they move to ids that there are, so that they meet when nothing new comes.
 */
export function advance(
  site: HeldSite,
  start: string,
  page: { last: string | null; isFull: boolean },
): Pick<LearningCursors, "fresh" | "settled"> {
  const last = page.last ?? start;
  const end = page.isFull ? last : greater(last, site.fresh);
  return {
    fresh: greater(site.fresh, lesser(end, site.fresh_limit)),
    // Only a page that begins where the settled events end leaves none out.
    settled: start <= site.settled ? greater(site.settled, lesser(end, site.settled_limit)) : site.settled,
  };
}

const greater = (a: string, b: string): string => (a > b ? a : b);
const lesser = (a: string, b: string): string => (a < b ? a : b);

/** How much is learned at a time. Settings of the program, not of its operator: tests change them. */
export interface LearningLimits extends Lateness {
  /** A site that was looked at rests so long, unless somebody asks for it. */
  restSeconds: number;
  /** Sites that one round looks at. */
  dueSites: number;
  /** Sites that are learned in one transaction. */
  sites: number;
  /** Events that are read in one transaction, of all its sites. */
  rows: number;
  /** Payloads that one run learns of its sites in full, and their bytes; beyond it… */
  payloads: number;
  bytes: number;
  /** …only the newest of each name in a transaction, as far as these bytes go. */
  samples: number;
  sampleBytes: number;
  /** A longer payload is not looked into. */
  payloadBytes: number;
  /** One run goes on so long while there is more. */
  runMs: number;
  /** Somebody who asks waits so long at the most for what is still to be learned. */
  askMs: number;
  /** Kinds of events that are kept of a site. */
  kinds: number;
}

const MIB = 1024 * 1024;

export const defaultLearningLimits: LearningLimits = {
  freshSeconds: 10,
  settledSeconds: 120,
  restSeconds: 30,
  dueSites: 4_000,
  sites: 40,
  rows: 2_000,
  payloads: 1_000,
  bytes: 16 * MIB,
  samples: 5,
  sampleBytes: 2 * MIB,
  payloadBytes: 4 * MIB,
  runMs: 5_000,
  askMs: 1_500,
  kinds: 1_000,
};

interface Turns {
  current: Promise<void>;
  /** Begins when the current one ends. */
  next: Promise<void> | null;
}

/**
 * The act, one at a time a key. Who asks while one is under way waits for the one after it, which all share: it begins after they asked, so that it
 * sees what they know of. `act` must not reject.
 */
export function oneAhead(act: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const open = new Map<string, Turns>();
  const begin = (key: string): Promise<void> => {
    const turns: Turns = { current: act(key), next: null };
    open.set(key, turns);
    void turns.current.then(() => {
      if (turns.next === null) open.delete(key);
    });
    return turns.current;
  };
  return (key) => {
    const turns = open.get(key);
    if (turns === undefined) return begin(key);
    turns.next ??= turns.current.then(() => begin(key));
    return turns.next;
  };
}
