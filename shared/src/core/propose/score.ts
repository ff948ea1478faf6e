import type { Concept } from "./concepts.ts";
import type { Candidate, Slot } from "./features.ts";
import { type Asking, has, overlap, placeOf, type Prepared, weightOfWord, type Whole } from "./prepare.ts";
import type { Shape } from "./shapes.ts";

/** Why a path is proposed. */
export type ProposalReason =
  | { code: "same_value"; value: string }
  /** The text about the slot and the path speak of the same; these words stand in both. */
  | { code: "same_meaning"; words: string[] }
  | { code: "same_form"; form: string }
  /** The example and the value begin alike. */
  | { code: "same_beginning"; text: string }
  /** The message addresses its reader there, and the field is a name. */
  | { code: "reader" }
  /** A link of the event has the value in it. */
  | { code: "in_link" }
  /** Nothing of these, yet of all fields it stands nearest: by what stands beside it, or what the values have in common. */
  | { code: "closest" };

/** How well a field fills a slot, `words` being what the words that both have weigh; 1 is what one plain hint weighs. */
export function score(slot: Asking, field: Prepared, words: number, whole: Whole): number {
  const form = slot.fits[field.form] ?? 0;
  const meaning = Math.min(4, overlap(slot.asked, field.vector) + words);
  // Neither the form nor a word speaks for it: most fields of an event end here.
  if (form <= -1 && meaning < 0.5 && !slot.isGreeting) return form;
  const isOpen = slot.shape === "empty";
  return (
    sameValue(slot, field) +
    meaning +
    form +
    (isOpen ? 0 : likeness(slot, field) + weightOfBeginning(slot, field)) +
    (slot.isGreeting ? addressed(slot, field, whole.hasReader) : 0) +
    (slot.part === "buttonUrl"
      ? inLink(slot, field) - 0.6 * unasked(slot, field, whole)
      : -unasked(slot, field, whole) - asId(slot, field)) +
    field.base
  );
}

/** Why a field fills a slot, the strongest first. */
export function explain(slot: Asking, field: Prepared, { hasReader }: Whole): ProposalReason[] {
  const words = [...slot.words.keys()].filter((word) => weightOfWord(word, slot, field) > 0);
  const hints: [number, ProposalReason][] = [
    [sameValue(slot, field), { code: "same_value", value: field.sample }],
    [overlap(slot.asked, field.vector) + 0.5 * words.length, { code: "same_meaning", words }],
    [slot.fits[field.form] ?? 0, { code: "same_form", form: field.shape }],
    [weightOfBeginning(slot, field), { code: "same_beginning", text: sharedBeginning(slot.example, field.sample) }],
    [slot.isGreeting ? addressed(slot, field, hasReader) : 0, { code: "reader" }],
    [slot.part === "buttonUrl" && field.isInLink ? 1.5 : 0, { code: "in_link" }],
  ];
  const found = hints.filter(([weight]) => weight > 0).toSorted(([a], [b]) => b - a);
  return found.length === 0 ? [{ code: "closest" }] : found.map(([, reason]) => reason);
}

function sameValue(slot: Slot, { plain, isTelling }: Prepared): number {
  if (slot.shape === "empty" || slot.plain !== plain) return 0;
  return isTelling ? 2 : 0.2;
}

const alike = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0;
  for (const kind of a) if (b.has(kind)) shared += 1;
  return shared / Math.max(1, a.size + b.size - shared);
};
const ratio = (a: number, b: number): number => Math.min(a, b) / Math.max(a, b, 1);

/** What values have in common beyond their form: what they speak of, words, case, pattern. */
function likeness(slot: Asking, field: Prepared): number {
  const { shape, look } = slot;
  const { leaf } = field;
  let sum = 0.6 * Math.min(1.5, overlap(slot.meantAsked, field.vector)) + 0.3 * Math.min(1.5, overlap(slot.meantAsked, field.meantVector));
  sum += 0.15 * Math.min(1.7, overlap(slot.asked, field.meantVector));
  if (shape === "name" || shape === "text") {
    if (leaf.has("code") || leaf.has("id")) sum -= 0.4;
    if (leaf.has("name") || leaf.has("label")) sum += 0.4;
    if (look.hasLowerCase && field.look.isUpperCase) sum -= 0.4;
    if (look.isCapitalised !== field.look.isCapitalised) sum -= 0.25;
    sum += 0.3 * ratio(look.words, field.look.words) - 0.15;
  }
  if (slot.isPerson) sum += field.isPersonal ? 0.4 - (leaf.has("name") ? 0.8 * has(field.concepts, "company") : 0) : -0.6;
  if ((shape === "money" || shape === "decimal") && leaf.has("total")) sum += 0.3;
  if (shape === "code" || shape === "slug")
    sum += 0.6 * alike(look.kinds, field.look.kinds) - 0.3 + 0.3 * ratio(slot.example.length, field.sample.length);
  if (patterned.has(shape) && look.pattern === field.look.pattern) sum += 0.5;
  return sum;
}

const patterned: ReadonlySet<Shape> = new Set(["code", "masked", "slug", "money", "integer"]);

function weightOfBeginning({ example }: Slot, { sample, shape }: Candidate): number {
  if (example[0] !== sample[0] || sharedBeginning(example, sample) === "") return 0;
  return shape === "code" ? 1.6 : 1;
}

/** The letters, or the word, with which both begin, when something else follows. */
function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && length < 40 && a[length] === b[length]) length += 1;
  if (length === a.length && length === b.length) return "";
  const start = a.slice(0, length);
  if (/\d/u.test(a) && !a.includes(" ")) return /^\p{L}+[-_\d]|^\p{L}\p{L}/u.test(start) ? start : "";
  return /^\p{L}{4,}[ -]/u.exec(start)?.[0].trim() ?? "";
}

/** Who reads the message: somebody with a phone, no employee, shop or thing. */
function addressed(slot: Slot, { concepts: all, leaf, shape, sample, isReached }: Candidate, hasReader: boolean): number {
  const [first, last] = [has(leaf, "firstName"), has(leaf, "lastName")];
  const isNamed = first + last > 0 || leaf.has("name") || all.has("customer") || leaf.has("guardian");
  if (slot.shape === "salutation" ? shape !== "salutation" : !isNamed) return 0;
  const whose = Math.max(has(all, "customer"), has(all, "guardian"), 0.7 * has(all, "pupil"));
  const others = Math.max(has(all, "staff"), has(all, "company"), has(all, "sender"), has(all, "courier"));
  const isSomebody = whose > 0 || isReached || first + last > 0 || !hasReader;
  const [isLong, isLongValue] = [slot.example.includes(" "), sample.includes(" ")];
  const part = isLong ? -0.4 * (first + last) - (isLongValue ? 0 : 0.4) : 0.8 * first - 1.2 * last;
  const wantsLast = slot.isTitled || slot.meant.has("salutation");
  return (
    (!isSomebody ? 0 : isLongValue && !isLong ? 0.5 : 0.8) +
    whose +
    (isReached && others === 0 ? 0.5 : 0) -
    (hasReader ? 1.5 : 0.3) * others +
    (wantsLast ? last - first : part)
  );
}

/** What a field says of itself that nobody asked for counts against it, and so does what was asked for and is not there. */
function unasked(slot: Asking, field: Prepared, { isAboutStaff }: Whole): number {
  const { leaf, concepts: all } = field;
  let sum = 0;
  for (let i = 0; i < field.unasked.at.length; i += 1) {
    if ((slot.wanted[field.unasked.at[i] ?? 0] ?? 0) < 0.25) sum += field.unasked.weights[i] ?? 0;
  }
  if (slot.demanded.length > 0 && slot.demanded.every((at) => field.vector[at] === 0)) sum += 2;
  if (field.isPersonal) {
    if (wants(slot, "staff") < 0.25 && !isAboutStaff) sum += 0.9 * Math.max(has(all, "staff"), has(all, "courier"));
    // The reader is greeted by name, and "your" is followed by a thing.
    if (!slot.isGreeting && wants(slot, "customer") < 0.5) sum += has(all, "customer");
    if (has(slot.concepts, "your") > 0.9) sum += 0.8;
    if (!slot.isTitled && leaf.has("lastName")) sum += 0.5;
    if (!slot.isGreeting && !slot.isPerson && leaf.has("firstName")) sum += 0.4;
  }
  if (amounts.has(field.shape) && has(leaf, "shipment") > 0.5 && wants(slot, "shipment") < 0.25) sum += 0.7;
  // Readers know their own number.
  if (leaf.has("phone")) sum += has(all, "customer");
  return sum;
}

const wants = (slot: Asking, concept: Concept): number => slot.wanted[placeOf(concept)] ?? 0;

/** Numbers are for people, ids for machines. */
const asId = (slot: Asking, { leaf }: Candidate): number =>
  has(leaf, "id") > 0.9 && !leaf.has("number") && wants(slot, "id") < 0.3 ? 0.6 : 0;

/** A link ends in what machines call a thing. */
function inLink(slot: Slot, { shape, leaf, concepts: all, isInLink }: Candidate): number {
  const wrong = slot.shape !== "url" && shape === "url" ? 2 : 0;
  const machine = Math.max(has(leaf, "token"), (slot.shape === "slug" ? 2 : 1) * has(leaf, "slug"), 0.5 * has(leaf, "id"));
  return 0.6 * machine + (isInLink ? 1.5 : 0) - 0.4 * has(all, "customer") - 0.8 - wrong;
}

const amounts: ReadonlySet<Shape> = new Set(["money", "decimal", "integer"]);
