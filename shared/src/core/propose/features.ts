import type { TemplateDefinition } from "../template/definition.ts";
import { type SlotNames, cutAtSlots, slotNames, urlSlotsOf } from "../template/slots.ts";
import { type Concept, conceptsOf, meaningOf, stemLength, type Weights, wordsIn, wordsOfKey } from "./concepts.ts";
import { foldedText, setOf, type Shape, shapeOf, startsWithGivenName, startsWithSalutation } from "./shapes.ts";
import wordLists from "./words.json" with { type: "json" };

/** A field that events of the binding have. */
export interface ProposedField {
  path: string;
  /** Null if none was learned. */
  sample: string | null;
}

export type SlotPart = keyof SlotNames;

/** The features of a slot, from the words around it and its example. */
export interface Slot {
  part: SlotPart;
  slot: number;
  example: string;
  plain: string;
  shape: Shape;
  /** The plain words about it with their weights. */
  words: ReadonlyMap<string, number>;
  concepts: Weights;
  /** The part of a link that stands before the slot. */
  fixed: string;
  /** The concepts of the slot's example. */
  meant: Weights;
  /** True if the slot addresses the reader of the message. */
  isGreeting: boolean;
  /** True if the slot's example begins with a first name. */
  isPerson: boolean;
  /** The concepts of the words before it, if they end in a colon: then they name the value. */
  label: Weights;
  /** True if a salutation stands before the slot. */
  isTitled: boolean;
}

/** The features of a field, from its path and sample. */
export interface Candidate {
  path: string;
  sample: string;
  plain: string;
  shape: Shape;
  tokens: ReadonlyMap<string, number>;
  /** The beginnings of the field's longer words. */
  stems: ReadonlyMap<string, number>;
  concepts: Weights;
  /** The concepts of the path's last member alone. */
  leaf: Weights;
  /** The concepts of the field's value. */
  meant: Weights;
  parent: string;
  depth: number;
  /** True if the field's object is a person with a phone or an e-mail address. */
  isReached: boolean;
  /** True if the path takes only first elements of lists. */
  isFirst: boolean;
  /** True if the value is a part of a link that the event has. */
  isInLink: boolean;
}

const mostContext = 2_000;
const mostCompared = 200;

/** The slots of a template in its order; those beyond `most` in a part are not read. */
export function readSlots(template: TemplateDefinition, most: number): Slot[] {
  const { header, body, parameterFormat, examples } = template;
  const names = slotNames(template);
  const ofText = (part: "header" | "body", text: string): Slot[] => {
    const numbers = new Map(names[part].map((name, number) => [name, number]));
    const unread = readSlot({ part, slot: 0, example: "", fixed: "" }, nowhere);
    const pieces = cutAtSlots(text, parameterFormat);
    const slots = new Map<string, Slot>();
    let sentence = "";
    pieces.forEach((name, at) => {
      if (at % 2 === 0) sentence = lastSentence((sentence + name).slice(-mostContext));
      const number = numbers.get(name);
      if (at % 2 === 0 || number === undefined || slots.has(name) || slots.size === most) return;
      const around = {
        sentence,
        before: (pieces[at - 1] ?? "").slice(-mostContext),
        own: parameterFormat === "NAMED" ? name : "",
        after: (pieces[at + 1] ?? "").slice(0, mostContext),
        previous: at === 1 ? null : slots.get(pieces[at - 2] ?? ""),
      };
      slots.set(name, readSlot({ part, slot: number + 1, example: examples[part][number] ?? "", fixed: "" }, around));
    });
    return names[part].map((name, i) => slots.get(name) ?? { ...unread, slot: i + 1 });
  };
  const links = urlSlotsOf(template).map(({ index, fixed }, i) => {
    const before = `${template.buttons[index]?.text ?? ""} ${fixed.replace(/^https?:\/\/[^/]*/u, "")}`;
    const given = examples.buttonUrl[i] ?? "";
    const example = given.startsWith(fixed) ? given.slice(fixed.length) : given;
    return readSlot({ part: "buttonUrl", slot: i + 1, example, fixed }, { ...nowhere, before: before.slice(-mostContext) });
  });
  return [...(header?.format === "TEXT" ? ofText("header", header.text) : []), ...ofText("body", body), ...links];
}

const nowhere = { sentence: "", before: "", own: "", after: "", previous: undefined };

interface Around {
  /** The text before the slot in its sentence. */
  sentence: string;
  before: string;
  own: string;
  after: string;
  /** The slot before it; null for the first. */
  previous: Slot | null | undefined;
}

/** Reads a slot. The words of its own clause count more than those farther away, and its name in the template counts the most. */
function readSlot(slot: Pick<Slot, "part" | "slot" | "example" | "fixed">, { sentence, before, own, after, previous }: Around): Slot {
  const words = new Map<string, number>();
  const add = (list: string[], weights: readonly number[]) =>
    list.slice(0, weights.length).forEach((word, n) => words.set(word, Math.max(words.get(word) ?? 0, weights[n] ?? 0)));
  const clause = wordsIn(lastSentence(before)).toReversed();
  add(wordsIn(own), [1.5, 1.5, 1.5, 1.5]);
  add(clause, [1, 0.85, 0.7, 0.5, 0.4, 0.3]);
  add(wordsIn(before).toReversed(), [0.35, 0.3, 0.25, 0.2, 0.15]);
  add(wordsIn(sentence).toReversed(), Array<number>(20).fill(0.3));
  add(wordsIn(clauseAfter(after)), /^[,;:]/u.test(after) ? [0.2, 0.15] : [0.6, 0.45, 0.3, 0.2]);
  const shape = shapeOf(slot.example);
  const isTitled = previous?.shape === "salutation" && before.trim().length < 2;
  const opening = clause.slice(0, 4);
  const isOf = binding.has(opening[0] ?? "");
  const greets = !isOf && opening.some((word) => conceptsOf(word).has("greeting"));
  if (isOf && opening.some((word) => conceptsOf(word).has("guardian"))) words.set("child", 1);
  if (wordsIn(sentence).some((word) => conceptsOf(word).has("old"))) {
    if (leaving.has(clause[0] ?? "")) words.set("previous", 0.8);
    if (reaching.has(clause[0] ?? "")) words.set("new", 0.8);
  }
  // In "has left" the word does not mean that something is left over.
  if (/^\s*ha(?:s|ve) left\b/iu.test(after)) words.delete("left");
  if (clause[0] === "to" && clause[1] === "due") {
    words.delete("due");
    words.set("reason", 1);
  }
  const isVocative =
    (previous === null && before.trim() === "" && after.startsWith(",")) || (/[,!]\s*$/u.test(before) && /^\s*!/u.test(after));
  const isGreeting = slot.part === "body" && addressing.has(shape) && (greets || isVocative || isTitled || shape === "salutation");
  return {
    ...slot,
    plain: foldedText(slot.example.slice(0, mostCompared)),
    shape,
    words,
    concepts: withMoney(meaningOf(words), isAmount(shape, before, after)),
    meant: valueMeaning(slot.example, shape),
    isGreeting,
    isTitled,
    label: /:\s*$/u.test(before) ? labelMeaning(clause) : new Map(),
    isPerson: startsWithGivenName(slot.example),
  };
}

/** The concepts of a label, which has one or two words with a meaning; a whole sentence that ends in a colon is none. */
function labelMeaning(clause: readonly string[]): Weights {
  const telling = clause.filter((word) => word.length > 3);
  if (telling.length > 2) return new Map();
  const meaning = new Map(meaningOf(new Map(telling.map((word) => [word, 1]))));
  for (const vague of ["label", "id", "greeting", "your", "old", "new", "other"] as const) meaning.delete(vague);
  return meaning;
}

/** Whether the slot is an amount, by a currency within the example or beside it. */
const isAmount = (shape: Shape, before: string, after: string): boolean =>
  shape === "money" ||
  ((shape === "decimal" || shape === "integer") && (/[$€£₺₹]\s?$/u.test(before) || /^\s?(?:[$€£₺₹]|eur\b|usd\b|tl\b)/iu.test(after)));

const withMoney = (concepts: Weights, isMoney: boolean): Weights =>
  isMoney ? new Map([...concepts, ["money", Math.max(impliedMoney, concepts.get("money") ?? 0)]]) : concepts;

const impliedMoney = 0.5;

/** Words such as in "welcome to" and "parents of", behind which nobody is addressed. */
const binding = setOf(wordLists.binding);
/** Words such as in "moved from … to …". */
const leaving = setOf(wordLists.leaving);
const reaching = setOf(wordLists.reaching);
const addressing: ReadonlySet<Shape> = new Set(["empty", "name", "person", "text", "salutation"]);
const lastSentence = (text: string): string => text.split(/[\n.!?;؟]\s|\n/u).at(-1) ?? "";
const clauseAfter = (text: string): string => text.replace(/^[,;:،]/u, "").split(/[\n.!?;,؟،](?:\s|$)|\n/u)[0] ?? "";

const currencies = setOf(wordLists.currencies);

/** The concepts of a value's first words; a salutation makes it a person's name. */
function valueMeaning(value: string, shape: Shape): Weights {
  const words = wordsIn(value.slice(0, 80)).filter((word) => word.length > 2 || word === "dr");
  const meant = new Map<Concept, number>(meaningOf(new Map(words.slice(0, 6).map((word) => [word, 1]))));
  if (startsWithSalutation(value)) meant.set("salutation", 1);
  if (currencies.has(value)) meant.set("currency", 1.5);
  if (shape === "phone" || shape === "email" || shape === "url") meant.set(shape, 1);
  if (words.length === 1 && startsWithGivenName(value)) meant.set("firstName", 1);
  return meant;
}

/** The fields that can be proposed, of at most `most`: fields of any element of a list are left out. */
export function readFields(fields: readonly ProposedField[], most: number): Candidate[] {
  const usable = new Map<string, string>();
  for (const { path, sample } of fields) {
    if (usable.size === most) break;
    if (sample !== null && !path.includes("[]") && !usable.has(path)) usable.set(path, sample);
  }
  const candidates = [...usable].map(([path, sample]) => readField(path, sample, labelOf(path, usable)));
  const objects = new Map<string, Candidate[]>();
  for (const field of candidates) {
    const siblings = objects.get(field.parent);
    if (siblings === undefined) objects.set(field.parent, [field]);
    else siblings.push(field);
  }
  const people = new Map([...objects].map(([parent, siblings]) => [parent, personOf(siblings)]));
  const links = new Set(
    candidates.flatMap(({ shape, sample }) => (shape === "url" ? sample.split(/[/?=&#]/u).filter((piece) => piece.length > 3) : [])),
  );
  return candidates.map((field) =>
    Object.assign(field, amongSiblings(field, people.get(field.parent)), { isInLink: links.has(field.sample) }),
  );
}

/** The label of a `value` in a list of names with values: the name that stands beside it. */
function labelOf(path: string, samples: ReadonlyMap<string, string>): string {
  const at = path.lastIndexOf(".") + 1;
  if (!valueKeys.has(path.slice(at))) return "";
  return labelKeys.map((key) => samples.get(path.slice(0, at) + key)).find((label) => label !== undefined) ?? "";
}

const valueKeys: ReadonlySet<string> = new Set("value wert valor valeur valore deger waarde wartosc answer content".split(" "));
const labelKeys = ["label", "name", "key", "title", "question", "nombre", "nome", "nom", "naam", "ad"];

/** Words such as in `starts_at`: they mean nothing in a path, but do in a text. */
const joining: ReadonlySet<string> = new Set("at on in by is has em am".split(" "));

/** Reads a field: the last member of its path tells what it is, the earlier ones tell whose. */
function readField(path: string, sample: string, label: string): Candidate {
  const members = path.split(".").filter((member, at) => !/^\d+$/u.test(member) && !(at === 0 && member === "data"));
  const shape = shapeOf(sample);
  const tokens = new Map<string, number>();
  const leaf = new Map<string, number>();
  members.slice(-6).forEach((member, i, { length }) => {
    const weight = [1, 0.6, 0.4][length - 1 - i] ?? 0.25;
    const parts = wordsOfKey(weight === 1 && label !== "" ? label : member).slice(0, 8);
    const joined = parts.slice(1).map((part, n) => (parts[n] ?? "") + part);
    const telling = parts.length === 1 ? parts : parts.filter((part) => !joining.has(part));
    for (const part of [...telling, ...joined, parts.join(""), ...(parts.length === 1 ? [`=${parts[0] ?? ""}`] : [])]) {
      tokens.set(part, Math.max(tokens.get(part) ?? 0, weight));
      if (weight === 1) leaf.set(part, 1);
    }
  });
  return {
    path,
    sample,
    plain: foldedText(sample.slice(0, mostCompared)),
    shape,
    tokens,
    stems: new Map(
      [...tokens]
        .filter(([word]) => word.length >= stemLength)
        .toReversed()
        .map(([word, weight]) => [word.slice(0, stemLength), weight]),
    ),
    concepts: meaningOf(tokens),
    leaf: meaningOf(leaf),
    meant: valueMeaning(sample, shape),
    parent: path.slice(0, Math.max(0, path.lastIndexOf("."))),
    depth: members.length,
    isReached: false,
    isFirst: !/\.[1-9]\d*(?:\.|$)/u.test(path),
    isInLink: false,
  };
}

/** The traits of an object that is a person, and the concepts of its kind. */
function personOf(siblings: readonly Candidate[]) {
  const namesOf = (concept: Concept): string[] => siblings.flatMap(({ leaf, sample }) => (leaf.has(concept) ? sample : [])).slice(0, 3);
  return {
    isReached: siblings.some(({ leaf }) => leaf.has("phone") || leaf.has("email")),
    firstNames: namesOf("firstName"),
    lastNames: namesOf("lastName"),
    kind: siblings.find(({ path, depth }) => depth > 1 && kindKeys.has(path.slice(path.lastIndexOf(".") + 1)))?.meant ?? nothing,
  };
}

const nothing: Weights = new Map();

const kindKeys: ReadonlySet<string> = new Set(["kind", "type", "tipo", "typ", "art"]);

/** Adds what siblings tell: beside a first name, `name` is the last one, and the other way round; and an object with a phone is a person who can be reached. */
function amongSiblings({ leaf, sample, depth, concepts }: Candidate, person: ReturnType<typeof personOf> | undefined): Partial<Candidate> {
  const isName = leaf.has("name") && !leaf.has("firstName") && !leaf.has("lastName");
  const more = new Map<Concept, number>();
  if (isName && person?.lastNames.some((name) => !sample.includes(name)) === true) more.set("firstName", 1);
  if (isName && person?.firstNames.some((name) => !sample.includes(name)) === true) more.set("lastName", 1);
  for (const [concept, weight] of person?.kind ?? []) if (!concepts.has(concept)) more.set(concept, 0.6 * weight);
  const isReached = depth > 1 && person?.isReached === true;
  if (more.size === 0) return { isReached };
  return { isReached, concepts: new Map([...concepts, ...more]), leaf: new Map([...leaf, ...more]) };
}
