import { conventionOf, type Field, type FieldType, maxFields, weightOf } from "./learn.ts";

/** A known field of an event. Ids of events carry their time. */
export interface KnownField extends Field {
  /** The last event that had the path. */
  last: string;
  /** The last event that had a value there, from which type and sample come. */
  sampled: string;
  /** Whether more than one event had the path. */
  again: boolean;
  /** The first event with a value there, where that is another one. */
  first?: string;
  /** The first and the last event with a value of each type, where values had several. */
  types?: Types;
}

type Types = Partial<Record<FieldType, { first: string; last: string }>>;

/** The fields that were learned from one event. */
export interface Lesson {
  eventId: string;
  fields: readonly Field[];
}

const maxText = 64 * 1024;

/**
 * The known fields with the lessons learned, by path. Neither the order of lessons nor learning one again makes a difference, until the bounds of number
 * and length are reached: then conventional paths are kept before others, fields that came more than once before those that came once, and recent fields
 * before the rest.
 */
export function mergeFields(known: readonly KnownField[], lessons: readonly Lesson[]): KnownField[] {
  const byPath = new Map(known.map((field) => [field.path, field]));
  for (const { eventId, fields } of lessons) {
    for (const field of fields) {
      const seen = { ...field, last: eventId, sampled: eventId, again: false };
      const before = byPath.get(field.path);
      byPath.set(field.path, before === undefined ? seen : merge(before, seen));
    }
  }
  return withinBounds([...byPath.values()]).toSorted((a, b) => compare(a.path, b.path));
}

function merge(a: KnownField, b: KnownField): KnownField {
  const { types: _, first: __, ...told } = (weightOf(a) - weightOf(b) || compare(a.sampled, b.sampled)) >= 0 ? a : b;
  const hidden = [a.hidden, b.hidden].filter((path) => path !== undefined).toSorted(compare)[0];
  const last = a.last > b.last ? a.last : b.last;
  const types = mergeTypes(typesOf(a), typesOf(b));
  const [one, ...others] = Object.values(types);
  return {
    ...told,
    last,
    again: a.again || a.last !== b.last,
    ...(hidden !== undefined && { hidden }),
    ...(others.length > 0 ? { types } : one !== undefined && one.first !== told.sampled && { first: one.first }),
  };
}

const typesOf = ({ types, type, sample, sampled, first = sampled }: KnownField): Types =>
  types ?? (weightOf({ type, sample }) === 2 ? { [type]: { first, last: sampled } } : {});

function mergeTypes(a: Types, b: Types): Types {
  const merged = Object.entries(b).map(([type, { first, last }]) => {
    const own = a[type as FieldType] ?? { first, last };
    return [type, { first: own.first < first ? own.first : first, last: own.last > last ? own.last : last }];
  });
  return { ...a, ...(Object.fromEntries(merged) as Types) };
}

function withinBounds(fields: KnownField[]): KnownField[] {
  if (fields.length <= maxFields && fields.reduce((sum, field) => sum + lengthOf(field), 0) <= maxText) return fields;
  let text = 0;
  return fields
    .toSorted(byWorth)
    .slice(0, maxFields)
    .filter((field) => (text += lengthOf(field)) <= maxText);
}

const byWorth = (a: KnownField, b: KnownField): number =>
  conventionOf(b.path) - conventionOf(a.path) ||
  Number(b.again) - Number(a.again) ||
  compare(b.last, a.last) ||
  depthOf(a) - depthOf(b) ||
  compare(a.path, b.path);

const depthOf = ({ path }: KnownField): number => path.split(".").length;
const lengthOf = ({ path, sample, hidden = "", types }: KnownField): number =>
  path.length + (sample?.length ?? 0) + hidden.length + (types === undefined ? 0 : JSON.stringify(types).length);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
