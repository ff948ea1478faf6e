import type { PaletteGroup } from "./palette-entry.ts";

/** Those entries that have every word of the query in their label or hint, in any order and case; groups of none are left out. */
export function matching(groups: PaletteGroup[], query: string): PaletteGroup[] {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  return groups
    .map(({ label, entries }) => ({
      label,
      entries: entries.filter((entry) => {
        const text = `${entry.label} ${entry.hint ?? ""}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}
