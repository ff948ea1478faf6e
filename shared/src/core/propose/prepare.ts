import weights from "./concept-weights.json" with { type: "json" };
import { type Concept, concepts, conceptsOf, stemLength, type Weights } from "./concepts.ts";
import type { Candidate, Slot } from "./features.ts";
import { fitsOf, placeOfShape } from "./shapes.ts";

/** The facts about the message and the event as a whole. */
export interface Whole {
  /** The concepts of the subjects of both. */
  subjects: Weights;
  /** The event's name in plain letters. */
  event: string;
  /** True if a field is known to be a customer's. */
  hasReader: boolean;
  /** True if the event is about a part of the paid amount, so that no total is meant. */
  isAboutPart: boolean;
  /** True if the event is about a person who works there. */
  isAboutStaff: boolean;
}

/** The weights of the hints that are the same for every slot. */
const baseWeights = { depth: 0.05, notFirst: 0.3, boolean: 1.5, subject: 0.25, plainSubject: 0.15, raw: 0.3, shared: 1.5 };

/** A field with everything that is the same for every slot. */
export interface Prepared extends Candidate {
  vector: Float64Array;
  meantVector: Float64Array;
  /** The place of the field's shape. */
  form: number;
  look: ReturnType<typeof lookOf>;
  /** The field's score that is the same in any slot of this message. */
  base: number;
  /** The field's concepts, with their cost for slots that do not ask for them. */
  unasked: Sparse;
  isPersonal: boolean;
  /** Whether the value has enough letters that an equal value is no accident. */
  isTelling: boolean;
}

export function prepareFields(fields: readonly Candidate[], { subjects }: Whole): Prepared[] {
  // All vectors share one piece of memory: many small ones take far longer.
  const memory = new Float64Array(2 * fields.length * concepts.length);
  const piece = (n: number): Float64Array => memory.subarray(n * concepts.length, (n + 1) * concepts.length);
  return fields.map((field, n) => {
    const { depth, notFirst, boolean, subject, plainSubject, raw } = baseWeights;
    let base = -depth * Math.min(5, field.depth) - (field.isFirst ? 0 : notFirst) - (field.shape === "boolean" ? boolean : 0);
    if (field.path.startsWith("data.raw.")) base -= raw;
    const unasked: Sparse = { at: [], weights: [] };
    for (const [concept, weight] of field.concepts) {
      if (subjectConcepts.has(concept)) base += (common.has(concept) ? plainSubject : subject) * weight * has(subjects, concept);
      const told = wholePath.has(concept) ? weight : has(field.leaf, concept);
      const cost = costs.get(concept);
      if (cost === undefined || told <= 0.35) continue;
      unasked.at.push(placeOf(concept));
      unasked.weights.push(cost * told);
    }
    return Object.assign(field, {
      vector: setAll(piece(2 * n), field.concepts),
      meantVector: setAll(piece(2 * n + 1), field.meant),
      form: placeOfShape(field.shape),
      look: lookOf(field.sample),
      base,
      unasked,
      isPersonal: isPersonal(field),
      isTelling: field.sample.length > 3 && /\p{L}{3}/u.test(field.sample),
    });
  });
}

const isPersonal = ({ leaf, concepts: all, shape }: Candidate): boolean =>
  (shape === "name" || shape === "person" || shape === "text") &&
  (personal.some((concept) => leaf.has(concept)) || (leaf.has("name") && !things.some((concept) => all.has(concept))));

/** Weights of concepts by their places. */
type Sparse = Record<"at" | "weights", number[]>;

/** A slot with everything that is the same for every field. */
export interface Asking extends Slot {
  asked: Sparse;
  meantAsked: Sparse;
  wanted: Float64Array;
  demanded: readonly number[];
  /** How well each form of a value fits the slot. */
  fits: Float64Array;
  look: ReturnType<typeof lookOf>;
}

export function prepareSlot(slot: Slot): Asking {
  const sparse = (weights: Weights, weigh: (concept: Concept, weight: number) => number): Sparse => ({
    at: [...weights.keys()].map((concept) => placeOf(concept)),
    weights: [...weights].map(([concept, weight]) => weigh(concept, weight)),
  });
  const wanted = setAll(new Float64Array(concepts.length), slot.concepts);
  for (const [concept, weight] of slot.meant) {
    const at = placeOf(concept);
    wanted[at] = Math.max(wanted[at] ?? 0, 0.7 * weight);
  }
  return {
    ...slot,
    asked: sparse(slot.concepts, (concept, weight) => Math.min(1.2, weight) * (commonWeights.get(concept) ?? baseWeights.shared)),
    meantAsked: sparse(slot.meant, (concept, weight) => (concept === "name" ? 0 : weight)),
    wanted,
    // In "a table for two people" the counted thing follows its number.
    demanded:
      has(slot.concepts, "quantity") >= 0.5
        ? []
        : demanding.filter((concept) => has(slot.concepts, concept) >= 0.5).map((concept) => placeOf(concept)),
    fits: slot.shape === "empty" ? new Float64Array(0) : fitsOf(slot.shape),
    look: lookOf(slot.example),
  };
}

const places = new Map(concepts.map((concept, at) => [concept, at]));
export const placeOf = (concept: Concept): number => places.get(concept) ?? 0;
function setAll(vector: Float64Array, weights: Weights): Float64Array {
  for (const [concept, weight] of weights) vector[placeOf(concept)] = weight;
  return vector;
}
export function overlap({ at, weights }: Sparse, theirs: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < at.length; i += 1) sum += (weights[i] ?? 0) * (theirs[at[i] ?? 0] ?? 0);
  return sum;
}
export const has = (weights: Weights, concept: Concept): number => weights.get(concept) ?? 0;

/** The form of a value, whatever it means. */
function lookOf(text: string) {
  const pattern = text
    .slice(0, 80)
    .replaceAll(/\p{Lu}/gu, "A")
    .replaceAll(/\p{Ll}/gu, "a")
    .replaceAll(/\d/gu, "9");
  return {
    words: text.split(/\s+/u, 20).length,
    isCapitalised: pattern.startsWith("A"),
    isUpperCase: text.length > 1 && text === text.toUpperCase(),
    hasLowerCase: text !== text.toUpperCase(),
    pattern: pattern.toLowerCase(),
    /** The pattern with each run as one character: `a 9` for a month and a day. */
    outline: pattern.toLowerCase().replaceAll(/a+/gu, "a").replaceAll(/9+/gu, "9"),
    kinds: new Set(pattern),
  };
}

/** The fields with a word in their path, or with one that begins like it, by their places. */
export type WordIndex = ReturnType<typeof indexWords>;

export function indexWords(fields: readonly Candidate[]) {
  const [words, stems] = [new Map<string, number[]>(), new Map<string, number[]>()];
  const note = (index: Map<string, number[]>, word: string, at: number) => {
    const known = index.get(word);
    if (known === undefined) index.set(word, [at]);
    else known.push(at);
  };
  fields.forEach((field, at) => {
    for (const word of field.tokens.keys()) note(words, word, at);
    for (const stem of field.stems.keys()) note(stems, stem, at);
  });
  return { words, stems };
}

/** The weights of words that a slot and a field's path share, by the fields' places. */
export function weighWords(slot: Slot, fields: readonly Candidate[], index: WordIndex): Float64Array {
  const sums = new Float64Array(fields.length);
  for (const word of slot.words.keys()) {
    const own = index.words.get(word) ?? [];
    const alike = word.length < stemLength ? [] : (index.stems.get(word.slice(0, stemLength)) ?? []);
    for (const at of new Set([...own, ...alike])) sums[at] = (sums[at] ?? 0) + weightOfWord(word, slot, fields[at]);
  }
  return sums;
}

/** The weight of a word that both have; words that begin alike count as forms of one. */
export function weightOfWord(word: string, slot: Slot, field: Candidate | undefined): number {
  if (word.length < 3 || field === undefined) return 0;
  const theirs = field.tokens.get(word) ?? (word.length < stemLength ? 0 : 0.7 * (field.stems.get(word.slice(0, stemLength)) ?? 0));
  return (slot.words.get(word) ?? 0) * theirs * (conceptsOf(word).has("created") ? 0.3 : 0.8);
}

export const listed = (text: string): Concept[] =>
  text.split(" ").filter((word): word is Concept => (concepts as readonly string[]).includes(word));
/** The weight of each concept, from the concepts by their weight. */
const byConcept = (groups: Readonly<Record<string, string>>): ReadonlyMap<Concept, number> =>
  new Map(Object.entries(groups).flatMap(([weight, text]) => listed(text).map((concept) => [concept, Number(weight)] as const)));

/** The weights of shared concepts; others weigh `baseWeights.shared`. Concepts of many paths mean little alone. */
const commonWeights = byConcept(weights.common);
/** The costs of these concepts for a field whose slot does not ask for them. */
const costs = byConcept(weights.costs);
/** Concepts that count anywhere in the path. */
const wholePath: ReadonlySet<Concept> = new Set(listed("old past sender deposit birth coupon quote company other"));
/** Concepts with one meaning only: nothing else fills a slot that asks for one. */
const demanding = listed("coupon plate table seat row access points birth gate discount account");
/** Concepts that can be the subject of a message and of a field. */
const subjectConcepts: ReadonlySet<Concept> = new Set(listed(weights.subjects));
/** Subjects of most messages, whatever else those are about. */
const common: ReadonlySet<Concept> = new Set(listed("order payment shipment"));
const personal = listed("firstName lastName customer guardian pupil staff courier");
const things = listed("product service vehicle device course subscription place show table room type carrier");
