import { munkres } from "munkres";
import type { TemplateDefinition } from "../template/definition.ts";
import { type Concept, conceptsOf, meaningOf, type Weights, wordsIn, wordsOfKey } from "./concepts.ts";
import { type Candidate, type ProposedField, readFields, readSlots, type Slot, type SlotPart } from "./features.ts";
import { type Asking, indexWords, type Prepared, prepareFields, prepareSlot, weighWords, type Whole, type WordIndex } from "./prepare.ts";
import { explain, type ProposalReason, type ProposedHelper, score } from "./score.ts";
import { foldedText } from "./shapes.ts";

export interface Proposal {
  part: SlotPart;
  /** The slot's number from 1, within its part. */
  slot: number;
  /** Null if nothing fits, or a helper does. */
  path: string | null;
  /** An expression helper whose text is like the example, if no field alone is; else null. */
  expr: ProposedHelper | null;
  reasons: ProposalReason[];
}

/** The least score of a proposal. */
const least = 0.6;
/** The gain of a field beside one that fills a neighbouring slot: after a salutation, and elsewhere. */
const [nearTitled, near] = [1.2, 0.3];
/** The most fields, and the most slots of a part, that are looked at: more than any template has. */
const mostFields = 500;
const mostSlots = 40;

/** Proposes a path for each slot: the same for the same input, and none if nothing fits. */
export function proposeMapping(event: string, fields: readonly ProposedField[], template: TemplateDefinition): Proposal[] {
  const found = readFields(fields, mostFields);
  const subjects = subjectsOf(event, template);
  const speaksOf = (...some: Concept[]): boolean =>
    wordsOfKey(event.slice(0, 200)).some((word) => some.some((one) => conceptsOf(word).has(one)));
  const whole: Whole = {
    subjects,
    event: foldedText(event.slice(0, 200)),
    hasReader: found.some(({ concepts }) => concepts.has("customer") || concepts.has("guardian")),
    isAboutPart: speaksOf("refund", "instalment", "deposit"),
    isAboutStaff: speaksOf("staff", "courier"),
  };
  const candidates = prepareFields(found, whole);
  const index = indexWords(candidates);
  const slots = readSlots(template, mostSlots);
  const rows = parts.map((part) => {
    const own = slots.filter((slot) => slot.part === part).slice(0, mostSlots);
    return own.map((slot) => scoreAll(slot, candidates, index, whole));
  });
  joinTwins(rows.flat());
  const proposed = new Map<string, Proposal>();
  for (const own of rows) {
    const matches = matchAll(own, candidates);
    own.forEach(({ slot }, i) => {
      const field = candidates[matches[i] ?? -1];
      const expr = findHelper(slot, field, found);
      if (expr !== null) proposed.set(nameOf(slot), proposal(slot, { expr, reasons: [{ code: "helper", expr }] }));
      else if (field !== undefined) proposed.set(nameOf(slot), proposal(slot, { path: field.path, reasons: explain(slot, field, whole) }));
    });
  }
  return slots.map((slot) => proposed.get(nameOf(slot)) ?? proposal(slot, {}));
}

const proposal = ({ part, slot }: Slot, found: Partial<Proposal>): Proposal => ({
  part,
  slot,
  path: null,
  expr: null,
  reasons: [],
  ...found,
});

/** The helper whose text is like the example, if the best field is a part of it. */
function findHelper({ part, example, shape }: Slot, field: Candidate | undefined, fields: readonly Candidate[]): ProposedHelper | null {
  if (part === "buttonUrl") return null;
  const has = (path: string): boolean => fields.some((each) => each.path === path);
  const path = field?.path ?? "";
  const isList = /\p{L}.{0,60} x ?\d|\d ?x .{0,60}\p{L}/u.test(example);
  if (isList && (has("order.items.0.name") || has("cart.items.0.name")))
    return /x ?\d+ - /u.test(example) ? "items.summary_lines" : "items.summary_short";
  if (path === "customer.first_name" || path === "customer.last_name") {
    const isWhole = example.trim().includes(" ") && (shape === "person" || shape === "name");
    return isWhole && has("customer.first_name") && has("customer.last_name") ? "customer.full_name" : null;
  }
  const isTotal = path === "order.total" || (path === "cart.total" && !(has("order.total") && has("order.currency")));
  const lacksCurrency = shape === "money" && field?.shape !== "money";
  return isTotal && lacksCurrency && has(path.replace("total", "currency")) ? "total.with_currency" : null;
}

const parts = ["header", "body", "buttonUrl"] as const;
const nameOf = ({ part, slot }: Slot): string => `${part} ${slot}`;

/** The subjects of the event's name and of the whole message. */
function subjectsOf(event: string, { header, body }: TemplateDefinition): Weights {
  const words = new Map<string, number>();
  const text = `${header?.format === "TEXT" ? header.text : ""} ${body.slice(0, 1_500)}`;
  for (const word of wordsIn(text).slice(0, 200)) words.set(word, 0.6);
  for (const word of wordsOfKey(event.slice(0, 200))) words.set(word, 1);
  return meaningOf(words);
}

/** A slot, and the score of each field in it. */
interface Row {
  slot: Asking;
  totals: number[];
}

function scoreAll(slot: Slot, fields: readonly Prepared[], index: WordIndex, whole: Whole): Row {
  const asking = prepareSlot(slot);
  const words = weighWords(slot, fields, index);
  const totals = fields.map((field, i) => score(asking, field, words[i] ?? 0, whole));
  const links = linksOf(slot, fields);
  if (links.length === 0) return { slot: asking, totals };
  const ends = new Set(links.map(({ sample }) => sample.slice(slot.fixed.length)));
  const hasEnd = fields.some(({ sample }) => ends.has(sample));
  const isRight = (field: Prepared): boolean => (hasEnd ? ends.has(field.sample) : links.includes(field));
  return { slot: asking, totals: totals.map((total, i) => (fields[i] !== undefined && isRight(fields[i]) ? Math.max(0, total) + 2 : -1)) };
}

/** Links of the event to the very page that a button leads to: only such a link, or its end, is right there. */
const linksOf = ({ fixed }: Slot, fields: readonly Prepared[]): Prepared[] =>
  /^https?:\/\/[^/]+\//u.test(fixed)
    ? fields.filter(({ shape, sample }) => shape === "url" && sample.startsWith(fixed) && sample.length > fixed.length)
    : [];

/** Joins a slot of the header with one of the body that has the same example: they have the same value, so the scores of one count for the other. */
function joinTwins(rows: readonly Row[]): void {
  for (const header of rows.filter(({ slot }) => slot.part === "header" && slot.example.length > 2)) {
    const twin = rows.find(({ slot }) => slot.part === "body" && slot.example === header.slot.example);
    if (twin === undefined) continue;
    header.totals = header.totals.map((total, i) => (total + (twin.totals[i] ?? 0)) / 2);
    twin.totals = header.totals;
  }
}

/** The best choice for all slots of a part together: each field once, except that one with a day and an hour may fill a slot of each. */
function matchAll(rows: readonly Row[], fields: readonly Candidate[]): number[] {
  let chosen: number[] = [];
  // The fields of neighbouring slots raise the score of fields beside them.
  for (let round = 0; round < 3; round += 1) {
    const parentAt = (i: number): string => fields[chosen[i] ?? -1]?.parent ?? "";
    const gains = rows.map(({ slot, totals }, i) => {
      const [before, after] = [parentAt(i - 1), parentAt(i + 1)];
      const bonusBefore = slot.isTitled ? nearTitled : near;
      const row: Gains = new Map();
      fields.forEach(({ parent, shape }, j) => {
        const bonus = parent === "" ? 0 : (parent === before ? bonusBefore : 0) + (parent === after ? near : 0);
        const gain = (totals[j] ?? 0) + bonus - least;
        if (gain > 0) row.set(slot.shape === "time" && shape === "datetime" ? j + fields.length : j, gain);
      });
      return row;
    });
    chosen = assign(gains).map((column) => (column < 0 ? -1 : column % fields.length));
  }
  return chosen;
}

/** The gain by column; other columns gain nothing. */
type Gains = Map<number, number>;

/** A column of its own for each row, or -1, so that the sum of the gains is the highest (the Hungarian method). */
function assign(gains: readonly Gains[]): number[] {
  const rows = gains.length;
  // A row needs only its best columns, as many as there are rows.
  const best = gains.map((row) => [...row].toSorted(([a, x], [b, y]) => y - x || a - b).slice(0, rows));
  const used = [...new Set(best.flatMap((row) => row.map(([column]) => column)))].toSorted((a, b) => a - b);
  // Further columns stand for no field.
  const costs = gains.map((row) => [...used.map((column) => -(row.get(column) ?? 0)), ...gains.map(() => 0)]);
  const columnOf = gains.map(() => -1);
  for (const [row, at] of munkres(costs)) {
    const column = used[at] ?? -1;
    if (gains[row]?.has(column) === true) columnOf[row] = column;
  }
  return columnOf;
}
