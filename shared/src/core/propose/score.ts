import type { Concept } from "./concepts.ts";
import type { Candidate, Slot } from "./features.ts";
import { type Asking, has, listed, overlap, placeOf, type Prepared, weightOfWord, type Whole } from "./prepare.ts";
import type { Shape } from "./shapes.ts";
// The weights of the hints are set by the pairs of event and template that the tests keep.
import weights from "./weights.json" with { type: "json" };

/** The expression helpers that are proposed. */
export type ProposedHelper = "customer.full_name" | "items.summary_short" | "items.summary_lines" | "total.with_currency";

/** The reasons for a proposed path. */
export type ProposalReason =
  | { code: "same_value"; value: string }
  /** The text around the slot and the path have the same meaning; these words stand in both. */
  | { code: "same_meaning"; words: string[] }
  | { code: "same_form"; form: string }
  /** The example and the value begin alike. */
  | { code: "same_beginning"; text: string }
  /** The message addresses its reader in the slot, and the field is a name. */
  | { code: "reader" }
  /** The value is a part of a link of the event. */
  | { code: "in_link" }
  /** A helper joins several fields of the event. */
  | { code: "helper"; expr: ProposedHelper }
  /** None of the other reasons; the field only comes closest of all, by its neighbours or by features of the values. */
  | { code: "closest" };

/** How well a field fills a slot; 1 is the weight of one plain hint. `words` is the weight of the words that both have. */
export function score(slot: Asking, field: Prepared, words: number, whole: Whole): number {
  const form = slot.fits[field.form] ?? 0;
  const meaning = Math.min(weights.mostMeaning, overlap(slot.asked, field.vector) + words);
  // Neither the form nor a word supports the field: most fields of an event end here.
  if (form <= -1 && meaning < 0.5 && !slot.isGreeting) return form;
  const isOpen = slot.shape === "empty";
  return (
    sameValue(slot, field) +
    meaning +
    form +
    (isOpen ? 0 : likeness(slot, field, whole) + weightOfBeginning(slot, field)) +
    (slot.isGreeting ? addressed(slot, field, whole.hasReader) : 0) +
    (slot.part === "buttonUrl"
      ? inLink(slot, field) - weights.unaskedInLink * unasked(slot, field, whole)
      : -weights.unaskedInText * unasked(slot, field, whole) - asId(slot, field)) -
    speechless(slot, field, meaning, whole) -
    isEnvelope(field, whole) +
    field.base
  );
}

/** The reasons why a field fills a slot, the strongest first. */
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
  return isTelling ? weights.sameTelling : 0.2;
}

/** The cost of a field without any of the meanings that the words around the slot have. */
function speechless(slot: Asking, field: Prepared, meaning: number, { subjects }: Whole): number {
  if (
    slot.label.size > 0 &&
    field.concepts.size > 0 &&
    meaning < 1 &&
    ![...slot.label.keys()].some((concept) => field.concepts.has(concept))
  )
    return weights.unlabelled;
  if (slot.isGreeting || meaning >= weights.leastMeaning) return 0;
  let told = 0;
  for (const [concept, weight] of slot.concepts) if (!vague.has(concept) && !subjects.has(concept)) told = Math.max(told, weight);
  return weights.speechless * told;
}

/** Concepts that stand around slots of any kind. */
const vague: ReadonlySet<Concept> = new Set(listed("greeting your id label carrier place end date time new old other"));

/** The cost of the event's own name, which is no value. */
const isEnvelope = ({ plain }: Prepared, { event }: Whole): number => (plain === event ? weights.envelope : 0);

function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const kind of a) if (b.has(kind)) shared += 1;
  return shared / Math.max(1, a.size + b.size - shared);
}
const ratio = (a: number, b: number): number => Math.min(a, b) / Math.max(a, b, 1);

/** The likeness of two values beyond their form: concepts, words, case, pattern. */
function likeness(slot: Asking, field: Prepared, { isAboutPart }: Whole): number {
  const { shape, look } = slot;
  const { leaf } = field;
  let sum =
    weights.meantBoth * Math.min(1.5, overlap(slot.meantAsked, field.vector)) +
    weights.meantMeant * Math.min(1.5, overlap(slot.meantAsked, field.meantVector));
  sum += weights.askedMeant * Math.min(1.7, overlap(slot.asked, field.meantVector));
  if (shape === "name" || shape === "text") {
    if (leaf.has("code") || leaf.has("id")) sum -= weights.textAsCode;
    if (leaf.has("name") || leaf.has("label")) sum += weights.textAsName;
    if (look.hasLowerCase && field.look.isUpperCase) sum -= weights.otherCase;
    if (look.isCapitalised !== field.look.isCapitalised) sum -= weights.otherCapital;
    sum += weights.wordsRatio * (ratio(look.words, field.look.words) - 0.5);
  }
  if (slot.isPerson)
    sum += field.isPersonal ? weights.person - (leaf.has("name") ? 0.8 * has(field.concepts, "company") : 0) : -weights.noPerson;
  if ((shape === "money" || shape === "decimal") && leaf.has("total") && !isAboutPart) sum += weights.amountTotal;
  if (shape === "code" || shape === "slug")
    sum +=
      weights.codeKinds * (alike(look.kinds, field.look.kinds) - 0.5) +
      weights.codeLength * ratio(slot.example.length, field.sample.length);
  if (shape === "url" && hasPath(slot.example) && !hasPath(field.sample)) sum -= weights.noPath;
  if (shape === "integer") sum += 0.5 * weights.codeLength * (2 * ratio(slot.example.length, field.sample.length) - 1);
  if (moments.has(shape) && look.outline === field.look.outline) sum += weights.sameOutline;
  if (patterned.has(shape) && look.pattern === field.look.pattern) sum += weights.samePattern;
  return sum;
}

/** Whether a URL has more than a host. */
const hasPath = (url: string): boolean => /^https?:\/\/[^/]+\/./u.test(url);

const moments: ReadonlySet<Shape> = new Set(["date", "datetime", "time", "span"]);
const patterned: ReadonlySet<Shape> = new Set(["code", "masked", "slug", "money", "integer"]);

function weightOfBeginning({ example }: Slot, { sample, shape }: Candidate): number {
  if (example[0] !== sample[0] || sharedBeginning(example, sample) === "") return 0;
  return shape === "code" ? weights.codeBeginning : weights.beginning;
}

/** The letters, or the word, with which both texts begin before they differ. */
function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && length < 40 && a[length] === b[length]) length += 1;
  if (length === a.length && length === b.length) return "";
  const start = a.slice(0, length);
  if (/\d/u.test(a) && !a.includes(" ")) return /^\p{L}+[-_\d]|^\p{L}\p{L}/u.test(start) ? start : "";
  return /^\p{L}{4,}[ -]/u.exec(start)?.[0].trim() ?? "";
}

/** How well a field fits the reader of the message: a person with a phone, not an employee, a shop or a thing. */
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
    (!isSomebody ? 0 : isLongValue && !isLong ? weights.greeted - 0.3 : weights.greeted) +
    whose +
    (isReached && others === 0 ? weights.greetedReached : 0) -
    (hasReader ? weights.greetedOther : 0.3) * others +
    (wantsLast ? last - first : part)
  );
}

/** The cost of concepts that the field has and the slot does not ask for, and of those that the slot asks for and the field lacks. */
function unasked(slot: Asking, field: Prepared, { isAboutStaff, subjects }: Whole): number {
  const { leaf, concepts: all } = field;
  let sum = 0;
  for (let i = 0; i < field.unasked.at.length; i += 1)
    if ((slot.wanted[field.unasked.at[i] ?? 0] ?? 0) < 0.25) sum += field.unasked.weights[i] ?? 0;
  if (slot.demanded.length > 0 && slot.demanded.every((at) => field.vector[at] === 0)) sum += weights.demanded;
  if (field.isPersonal) {
    const courier = has(all, "courier") * (1 - Math.min(1, has(subjects, "shipment")));
    if (wants(slot, "staff") < 0.25 && !isAboutStaff) sum += weights.staff * Math.max(has(all, "staff"), courier);
    // The reader is greeted by name, and "your" is followed by a thing.
    if (!slot.isGreeting && wants(slot, "customer") < 0.5) sum += weights.customerElsewhere * has(all, "customer");
    if (has(slot.concepts, "your") > 0.9) sum += weights.yours;
    if (!slot.isTitled && leaf.has("lastName")) sum += weights.lastName;
    if (!slot.isGreeting && !slot.isPerson && leaf.has("firstName")) sum += weights.firstName;
  }
  if (amounts.has(field.shape) && has(leaf, "shipment") > 0.5 && wants(slot, "shipment") < 0.25) sum += weights.shippingAmount;
  // Readers know their own number.
  if (leaf.has("phone")) sum += has(all, "customer");
  return sum;
}

const wants = (slot: Asking, concept: Concept): number => slot.wanted[placeOf(concept)] ?? 0;

/** The cost of an id for a slot that does not ask for one: people read numbers, machines read ids. */
const asId = (slot: Asking, { leaf }: Candidate): number =>
  has(leaf, "id") > 0.9 && !leaf.has("number") && wants(slot, "id") < 0.3 ? weights.asId : 0;

/** The score of a field at the end of a link, which is a name for machines. */
function inLink(slot: Slot, { shape, leaf, concepts: all, isInLink }: Candidate): number {
  const wrong = slot.shape !== "url" && shape === "url" ? 2 : 0;
  const machine = Math.max(has(leaf, "token"), (slot.shape === "slug" ? 2 : 1) * has(leaf, "slug"), 0.5 * has(leaf, "id"));
  return weights.machineInLink * machine + (isInLink ? weights.inLink : 0) - 0.4 * has(all, "customer") - weights.linkBar - wrong;
}

const amounts: ReadonlySet<Shape> = new Set(["money", "decimal", "integer"]);
