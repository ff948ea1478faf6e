import { mergeFields, type Lesson } from "shared/core/fields/known";
import { type Field, learnFields } from "shared/core/fields/learn";
import { parseJson } from "shared/core/json";
import { hidePaths, maskPath } from "shared/core/mask";
import { attempt } from "shared/core/text";
import { findEventKinds, type EventKindRow, type NewEvent, readPayloads, type HeldSite, type LearningCursors } from "shared/db/event-kind";
import type { Sql } from "shared/db/statement";
import { plainRows, readValue, type RowCodec } from "shared/secrets/row-codec";
import { takeTurns } from "./other-work.ts";

/** Kinds of events by site and name. */
export type Kinds = Map<string, EventKindRow>;

/** The kinds of the events, with the last event of each. `added`: how many are new. */
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

/** Adds the fields of the events' payloads to their kinds. `codecs` are by site; samples are stored like payloads. */
export async function learnPayloads(sql: Sql, events: readonly NewEvent[], kinds: Kinds, codecs: ReadonlyMap<string, RowCodec>) {
  for (const chunk of chunksOf(events, { bytes: 4 * mebibyte, events: 100 })) {
    const payloads = new Map((await readPayloads(sql, chunk)).map(({ id, payload }) => [id, payload]));
    const lessons = new Map<string, Lesson[]>();
    const otherWork = takeTurns();
    for (const event of chunk) {
      const lesson = { eventId: event.id, fields: learnEvent(event, payloads.get(event.id), codecs.get(event.site_id) ?? plainRows) };
      lessons.set(keyOf(event), [...(lessons.get(keyOf(event)) ?? []), lesson]);
      await otherWork();
    }
    for (const [key, learned] of lessons) {
      const kind = kinds.get(key);
      if (kind !== undefined) kind.fields = mergeFields(kind.fields, learned);
      await otherWork();
    }
  }
}

function learnEvent({ site_id: siteId, id }: NewEvent, stored: string | undefined, rows: RowCodec): Field[] {
  const payload = readValue(rows, stored ?? "", "event_payload.payload", id, "");
  // Null where it was erased.
  const value = attempt(() => parseJson(payload), null);
  // Paths are stored in the clear: a phone or an address is never one, and nobody's name where payloads are encrypted.
  const fields = hidePaths(value, learnFields(value)).filter(
    ({ path, hidden }) => maskPath(path) === path && (hidden === undefined || rows === plainRows),
  );
  return fields.map((field) => ({ ...field, sample: rows.seal(field.sample, "event_kind.fields", siteId) }));
}

/** Chunks of bounded size, as one is held in memory at a time. */
export function chunksOf<Event extends { bytes: number | null }>(events: readonly Event[], most: { bytes: number; events: number }) {
  const chunks: Event[][] = [];
  let bytes = Infinity;
  for (const event of events) {
    bytes += event.bytes ?? 0;
    const chunk = chunks.at(-1);
    if (chunk !== undefined && bytes <= most.bytes && chunk.length < most.events) {
      chunk.push(event);
    } else {
      chunks.push([event]);
      bytes = event.bytes ?? 0;
    }
  }
  return chunks;
}

const keyOf = ({ site_id, name }: { site_id: string; name: string }): string => `${site_id} ${name}`;

/** The id after which a site's events are read. `reached`: how far this run has read, which may be further than the cursors. */
export function startOf(site: HeldSite, reached: string | undefined): string {
  const start = site.overdue ? site.settled : site.fresh;
  return reached === undefined ? start : greater(start, reached);
}

/**
 * The cursors after a page that began after `start` and ended with `last` (null: it was empty). `isFull`: more may follow. Neither cursor goes back, and
 * both move to ids of events, so that they meet when nothing new comes.
 */
function advance(site: HeldSite, start: string, page: { last: string | null; isFull: boolean }) {
  const last = page.last ?? start;
  const end = page.isFull ? last : greater(last, site.fresh);
  return {
    fresh: greater(site.fresh, lesser(end, site.fresh_limit)),
    // Only a page that begins at the settled cursor leaves no event out.
    settled: start <= site.settled ? greater(site.settled, lesser(end, site.settled_limit)) : site.settled,
  };
}

/**
 * The cursors after a page of at most `rows` events of each site, and the last event of each site with more to read. `total`: how many events the page has of
 * its site, where some were left out.
 */
export function turnPage(
  starts: readonly { site: HeldSite; after: string }[],
  events: readonly { site_id: string; id: string; total?: number }[],
  rows: number,
) {
  const reached = new Map<string, string>();
  const cursors = starts.map(({ site, after }): LearningCursors => {
    const own = events.filter(({ site_id }) => site_id === site.site_id);
    const last = own.reduce<string | null>((greatest, { id }) => (greatest === null ? id : greater(greatest, id)), null);
    const isFull = (own[0]?.total ?? own.length) === rows;
    if (isFull && last !== null) reached.set(site.site_id, last);
    return { site_id: site.site_id, ...advance(site, after, { last, isFull }), has_more: isFull };
  });
  return { cursors, reached };
}

const greater = (a: string, b: string): string => (a > b ? a : b);
const lesser = (a: string, b: string): string => (a < b ? a : b);

const mebibyte = 1024 * 1024;

/** How much is learned at a time. Constants of the program; tests change them. */
export const defaultLearningLimits = {
  freshSeconds: 10,
  settledSeconds: 120,
  /** How long a site rests after it was looked at, unless `catchUp` asks for it. */
  restSeconds: 30,
  /** Sites that one round looks at. */
  dueSites: 4_000,
  /** Sites that are learned in one transaction. */
  sites: 40,
  /** Events that are read in one transaction, of all its sites. */
  rows: 2_000,
  /** How many payloads one run reads in full, and their bytes. */
  payloads: 1_000,
  bytes: 16 * mebibyte,
  /** Beyond that, how many of each name are read in a transaction, and their bytes. */
  samples: 5,
  sampleBytes: 2 * mebibyte,
  /** Longer payloads are skipped. */
  payloadBytes: 4 * mebibyte,
  /** How long one round may take. */
  runMs: 5_000,
  /** How long `catchUp` may take. */
  askMs: 1_500,
  /** Kinds of events that are kept for a site. */
  kinds: 1_000,
};
export type LearningLimits = typeof defaultLearningLimits;

/**
 * Runs `act` for one caller at a time, by key. Callers that come during a run share the next one: it begins after their call, so that it sees everything
 * that they know. `act` must not reject.
 */
export function oneAhead(act: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const [running, next] = [new Map<string, Promise<void>>(), new Map<string, Promise<void>>()];
  return function ask(key) {
    const current = running.get(key);
    const again = (): Promise<void> => (next.delete(key), ask(key));
    const turn = current === undefined ? act(key).finally(() => running.delete(key)) : (next.get(key) ?? current.then(again));
    (current === undefined ? running : next).set(key, turn);
    return turn;
  };
}
