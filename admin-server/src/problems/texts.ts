import type { JsonValue } from "shared/core/json";
import { maskPhonesIn } from "shared/core/mask";
import { isUuid, uuidTime } from "shared/core/uuid";
import type { OutcomesRow } from "shared/db/event/log";
import { oneLine } from "../mail/letter.ts";

const longestText = 500;

/** A text of people or of the platform in the form in which it may leave: in one line, and without phones. */
const told = (text: string): string => maskPhonesIn(oneLine(text)).slice(0, longestText);

/** The platform repeats text that it refuses, so its words may contain a token. */
export const platformWords = (text: string): string => told(text.replaceAll(/[\w.-]{24,}/g, "•••")).slice(0, 300);

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u.test(text);

/** A detail whose texts are `write`'s. Ids and times stay: their digits may look like a phone's. */
export function writeWithin<T>(value: T, write: (text: string) => string): T {
  if (typeof value === "string") return (isUuid(value) || isTime(value) ? value : write(value)) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => writeWithin(each, write)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, writeWithin(inner as JsonValue, write)])) as T;
}

/** A detail whose texts may be stored and may leave. */
export const toldWithin = <T>(value: T): T => writeWithin(value, told);

/** The measure of a fault that lasts until somebody acts. */
export const lasting = { count: 0, more: false, firstAt: null, lastAt: null } as const;

/** When an id was made. */
export const timeOf = (id: string | null | undefined): Date | null => (id == null ? null : new Date(uuidTime(id)));

/** The measure of events from an id on. */
export function countOf(events: readonly OutcomesRow[], from: string) {
  const counted = events.filter(({ last_event_id: id }) => id >= from);
  const first = counted.map(({ first_event_id: id }) => id).toSorted();
  const last = counted.map(({ last_event_id: id }) => id).toSorted();
  const count = counted.reduce((sum, row) => sum + row.count, 0);
  return { count, more: counted.some(({ more }) => more), firstAt: timeOf(first[0]), lastAt: timeOf(last.at(-1)), ofSpan: true };
}
