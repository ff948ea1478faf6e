import { mergeTemplate, type PlatformWord } from "../../../core/template/merge-template.ts";
import type { Sql } from "../../connect.ts";
import { inTransaction } from "../../transaction.ts";
import { lockNamedTemplates, writeSyncedTemplates, type SyncedTemplate } from "./sync.ts";

/** What a callback says of one template. */
export type TemplateWord = Omit<PlatformWord, "definition"> & { name: string | null; language: string | null };

export interface AppliedWords {
  /** Templates that changed. */
  changed: number;
  /** Words about templates that are not here. */
  unknown: number;
}

/** Records what callbacks say of the account's templates, in the order in which they say it. Three statements, however many there are. */
export const applyPlatformWords = (sql: Sql, accountId: string, words: readonly TemplateWord[]): Promise<AppliedWords> =>
  inTransaction(sql, async (transaction) => {
    const names = words.map(({ platformId, name, language }) => ({ platform_id: platformId, name, language }));
    const found = await lockNamedTemplates(transaction, accountId, names);
    const changes = new Map<string, SyncedTemplate>();
    for (const { place, ...row } of found.toSorted((a, b) => a.place - b.place)) {
      const word = words[place];
      const merged = word && mergeTemplate(changes.get(row.id) ?? row, { ...word, definition: null });
      if (merged) changes.set(row.id, { id: row.id, ...merged });
    }
    await writeSyncedTemplates(transaction, [...changes.values()], "callback");
    return { changed: changes.size, unknown: words.length - new Set(found.map(({ place }) => place)).size };
  });
