import { setImmediate as otherWork } from "node:timers/promises";
import { mergeFields, type Lesson } from "shared/core/fields/known";
import { learnFields } from "shared/core/fields/learn";
import { parseJson } from "shared/core/json";
import type { JsonValue } from "shared/core/json";
import type { Sql } from "shared/db/connect";
import { findEventKinds } from "shared/db/event-kind";
import type { EventKindRow } from "shared/db/event-kind";
import { type NewEvent, readPayloads } from "shared/db/event-kind";

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
