import type { Section } from "../docs/sections.ts";
import { plainText } from "./plain-text.ts";

export interface Hit {
  section: Section;
  /** The text around the first word that was found. */
  snippet: string;
}

const reach = 90;
const mostHits = 40;

/** The words that a query looks for. */
export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");

/** The sections that hold every word, in any case; those whose heading does first, then in the order of the documentation. */
export function searchSections(sections: readonly Section[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = sections.flatMap((section) => {
    const text = plainText(section.text);
    const title = section.title.toLowerCase();
    const all = `${title} ${text.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) return [];
    return [{ section, snippet: snippetOf(text, words), inTitle: words.filter((word) => title.includes(word)).length }];
  });
  return found
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, mostHits)
    .map(({ section, snippet }) => ({ section, snippet }));
}

function snippetOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  // Whole words only.
  const start = at <= reach ? 0 : text.indexOf(" ", at - reach) + 1;
  const end = at + 2 * reach >= text.length ? text.length : text.lastIndexOf(" ", at + 2 * reach);
  return `${start > 0 ? "… " : ""}${text.slice(start, Math.max(end, at))}${end < text.length ? " …" : ""}`;
}
