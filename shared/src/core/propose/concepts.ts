import { remember } from "../text.ts";
import words from "./concepts.json" with { type: "json" };
import { foldedText } from "./shapes.ts";

/**
 * The concepts that words of templates and keys of payloads stand for, in the languages in which shops write them and with the abbreviations of their
 * databases. Lower case, without accents. `=first` is a key that consists of that word alone. Endings and compounds are found by `conceptsOf`.
 */
export type Concept = keyof typeof words;

/** All concepts, in the order of their weights in vectors. */
export const concepts = Object.keys(words) as readonly Concept[];

const byWord = new Map<string, Concept[]>();
const byStem = new Map<string, Concept[]>();
for (const [concept, list] of Object.entries(words) as [Concept, string][]) {
  for (const word of new Set(list.split(" "))) {
    note(byWord, word, concept);
    if (word.length >= 4 && stemOf(word).length >= 4) note(byStem, stemOf(word), concept);
  }
}

function note(index: Map<string, Concept[]>, word: string, concept: Concept): void {
  const known = index.get(word) ?? [];
  if (!known.includes(concept)) index.set(word, [...known, concept]);
}

/** The word without the ending that marks number, case and gender in most of the languages. */
function stemOf(word: string): string {
  return word.replace(/(?:[aeiouy]|[aeo][nsmr]|s)$/u, "");
}

export type Weights = ReadonlyMap<Concept, number>;

const longest = 40;
const none: Weights = new Map();

/** The concepts that a plain word may mean, each with how surely it does. */
export const conceptsOf = (word: string): Weights => (word.length > longest ? none : meaningOfWord(word));

/** Remembered, since the same words come again and again. */
const meaningOfWord = remember(4_000, readWord);

/** Reads the concepts of a word: by itself, without its ending, as the beginning of a longer one, or as a part of a compound. */
function readWord(word: string): Weights {
  const own =
    byWord.get(word) ??
    byStem.get(stemOf(word)) ??
    arabicForms(word)
      .map((form) => byWord.get(form))
      .find((form) => form !== undefined);
  if (own !== undefined) return new Map(own.map((concept) => [concept, 1]));
  const found = new Map<Concept, number>();
  const add = (some: readonly Concept[], weight: number) => {
    for (const concept of some) found.set(concept, Math.max(found.get(concept) ?? 0, weight));
  };
  // Finds the longest beginning, and goes on from where it ends.
  let follows = false;
  for (let at = 0; at < word.length - 2;) {
    const [part, concepts] = longestAt(word, at, follows);
    if (concepts !== undefined) add(concepts, at + part.length === word.length ? 0.95 : at === 0 ? 0.8 : 0.6);
    follows = concepts !== undefined;
    at += follows ? part.length : 1;
  }
  return found;
}

/** An Arabic word without the article, prepositions and possessives that are written with it. */
function arabicForms(word: string): string[] {
  if (!/^\p{Script=Arabic}/u.test(word)) return [];
  const bare = word.replace(/^(?:وال|بال|لل|ال|[وبلكف])(?=..)/u, "");
  const owned = bare.replace(/(?:كم|ها|هم|نا|[كهيا])$/u, "");
  return [bare, owned, owned.replace(/ت$/u, "ة"), word.replace(/(?:كم|ها|هم|نا|[كهيا])$/u, "").replace(/ت$/u, "ة")];
}

/** The longest known part from that place on, with its concepts: four letters or more at the beginning, five within, or three that follow another part to the end. */
function longestAt(word: string, at: number, follows: boolean): [string, readonly Concept[] | undefined] {
  for (let end = word.length; end - at >= (at === 0 ? 4 : 5) || (end === word.length && follows && end - at >= 3); end -= 1) {
    const part = word.slice(at, end);
    const concepts = byWord.get(part) ?? (part.length >= 5 || at === 0 ? byStem.get(part) : undefined);
    if (concepts !== undefined) return [part, concepts];
  }
  return ["", undefined];
}

/** The concepts that weighted words mean together. */
export function meaningOf(words: ReadonlyMap<string, number>): Weights {
  const concepts = new Map<Concept, number>();
  for (const [word, weight] of words)
    for (const [concept, part] of conceptsOf(word)) concepts.set(concept, Math.max(concepts.get(concept) ?? 0, weight * part));
  return concepts;
}

/** Words with the same first letters, this many, count as forms of one. */
export const stemLength = 5;

const camel = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The plain words of a text or key. */
export const wordsIn = (text: string): string[] => foldedText(text).match(/\p{L}+/gu) ?? [];
export const wordsOfKey = (key: string): string[] => key.split(camel).flatMap((part) => foldedText(part).match(/\p{L}+\d?/gu) ?? []);
