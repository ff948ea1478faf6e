import type { TemplateRecord } from "./record.ts";
import { afterReview } from "./review.ts";

/** Templates in memory, found by account, by name and language, and by id. What is read has its review behind it if that is due. */
export interface TemplateIndex {
  byId(id: string): TemplateRecord | undefined;
  find(wabaId: string, name: string, language: string): TemplateRecord | undefined;
  /** Oldest first. */
  ofAccount(wabaId: string): TemplateRecord[];
  hold(record: TemplateRecord): void;
  drop(record: TemplateRecord): void;
}

export function createTemplateIndex(now: () => number): TemplateIndex {
  const accounts = new Map<string, Map<string, TemplateRecord>>();
  const places = new Map<string, { wabaId: string; key: string }>();
  const ofWaba = (wabaId: string): Map<string, TemplateRecord> => {
    const known = accounts.get(wabaId) ?? new Map<string, TemplateRecord>();
    accounts.set(wabaId, known);
    return known;
  };
  const read = (wabaId: string, key: string): TemplateRecord | undefined => {
    const record = accounts.get(wabaId)?.get(key);
    if (record === undefined || record.review === null || record.review.at > now()) return record;
    const reviewed = afterReview(record, record.review);
    ofWaba(wabaId).set(key, reviewed);
    return reviewed;
  };
  return {
    byId: (id) => {
      const place = places.get(id);
      return place === undefined ? undefined : read(place.wabaId, place.key);
    },
    find: (wabaId, name, language) => read(wabaId, keyOf(name, language)),
    ofAccount: (wabaId) => [...ofWaba(wabaId).keys()].flatMap((key) => read(wabaId, key) ?? []),
    hold: (record) => {
      const key = keyOf(record.name, record.language);
      ofWaba(record.wabaId).set(key, record);
      places.set(record.id, { wabaId: record.wabaId, key });
    },
    drop: (record) => {
      places.delete(record.id);
      ofWaba(record.wabaId).delete(keyOf(record.name, record.language));
    },
  };
}

function keyOf(name: string, language: string): string {
  return `${name} ${language}`;
}
