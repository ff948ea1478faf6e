import type { Reason } from "../reason.ts";
import { countEmoji, isBlank, textLength } from "../text.ts";
import { findProblems, longestExample, problemKey, type TemplateProblem } from "./advice.ts";
import { textAt, toDefinition, type UncheckedTemplate, withText } from "./draft.ts";
import { exampleFor, fitExamples } from "./examples.ts";
import allGreetings from "./greetings.json" with { type: "json" };
import labels from "./mend-labels.json" with { type: "json" };
import { languages, limits } from "./platform-limits.ts";
import { type SlotTexts, slotCounts } from "./slots.ts";

/** A change that solves a problem and adds none. */
export interface Mend {
  /** The effect of the change, in a few words. */
  label: string;
  /** The members that change, with their new values. */
  patch: Partial<UncheckedTemplate>;
  /** The texts that change; null where there was, or will be, none. */
  changes: { field: string; before: string | null; after: string | null }[];
}

export type MendableProblem = TemplateProblem & { mend: Mend | null };

/** Problems beyond these are told without a correction: hardly anybody has so many, and each correction is tried out. */
const mostMended = 8;
/** The most characters that all corrections have together: each holds the members that it changes. */
const mostOfMends = 65_536;

/** Every problem of a template, each with its correction if there is one. `samples` are values of earlier events by slot, for examples. */
export function checkAndMend(input: UncheckedTemplate, samples?: Partial<SlotTexts>): MendableProblem[] {
  const problems = findProblems(input);
  let left = mostOfMends;
  return problems.map((problem, index) => {
    const mend = index < mostMended && left > 0 ? mendOf(input, problem, problems, samples) : null;
    left -= mend === null ? 0 : JSON.stringify(mend).length;
    return { ...problem, mend: left < 0 ? null : mend };
  });
}

/** Corrects every problem that can be corrected, one after the other. Each correction solves at least one problem and adds none, so this ends. */
export function mendAll(input: UncheckedTemplate, samples?: Partial<SlotTexts>): UncheckedTemplate {
  let current = input;
  for (let round = 0; round < mostRounds; round += 1) {
    const problems = findProblems(current);
    const mend = firstMend(current, problems, samples);
    if (mend === null) return current;
    current = { ...current, ...mend.patch };
  }
  return current;
}

const mostRounds = 200;

function firstMend(input: UncheckedTemplate, problems: readonly TemplateProblem[], samples?: Partial<SlotTexts>): Mend | null {
  for (const problem of problems.slice(0, mostMended)) {
    const mend = mendOf(input, problem, problems, samples);
    if (mend !== null) return mend;
  }
  return null;
}

/** The correction of a problem. It also corrects the problems that it brings to light, so that it adds none; if that fails there is no correction. */
function mendOf(input: UncheckedTemplate, problem: TemplateProblem, all: readonly TemplateProblem[], samples?: Partial<SlotTexts>) {
  const allowed = new Set(all.map(problemKey));
  allowed.delete(problemKey(problem));
  let current = change(input, problem, samples);
  for (let step = 0; step < mostSteps && current !== null; step += 1) {
    const added = findProblems(current).find((found) => !allowed.has(problemKey(found)));
    if (added === undefined) return toMend(input, current, problem.reason.code);
    current = change(current, added, samples);
  }
  return null;
}

const mostSteps = 5;

function toMend(before: UncheckedTemplate, after: UncheckedTemplate, code: Reason["code"]): Mend | null {
  const members = Object.keys(after) as (keyof UncheckedTemplate)[];
  const changed = members.filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]));
  if (changed.length === 0) return null;
  const fields = new Set([...textFields(before), ...textFields(after)]);
  const changes = [...fields].map((field) => ({ field, before: textAt(before, field) ?? null, after: textAt(after, field) ?? null }));
  return {
    label: mendLabels[code] ?? "Fix",
    patch: Object.fromEntries(changed.map((member) => [member, after[member]])),
    changes: changes.filter((each) => each.before !== each.after),
  };
}

const textFields = ({ header, buttons, examples }: UncheckedTemplate): string[] => [
  "name",
  "language",
  "category",
  ...(header?.format === "TEXT" ? ["header.text"] : []),
  "body",
  "footer",
  ...(buttons ?? []).flatMap((_, index) => ["text", "url", "phone"].map((member) => `buttons.${index}.${member}`)),
  ...exampleParts.flatMap((part) => (examples?.[part] ?? []).map((_, index) => `examples.${part}.${index}`)),
];

const exampleParts = ["header", "body", "buttonUrl"] as const;

/** A text with a higher number has gaps, which are mended first. */
const mostExamples = limits.body / "{{1}} a ".length;

/** The effect of each correction, as the label of a button. */
export const mendLabels: Partial<Record<Reason["code"], string>> = labels;

type Changer = (text: string, input: UncheckedTemplate, field: string) => string | null;

/** The next step towards a template without the problem; null if only a person can take it. */
function change(input: UncheckedTemplate, { field, reason }: TemplateProblem, samples?: Partial<SlotTexts>): UncheckedTemplate | null {
  switch (reason.code) {
    case "words_promotional":
      return { ...input, category: "MARKETING" };
    case "category_unknown": {
      const category = reason.categories.find((known) => known === input.category.trim().toUpperCase());
      return category === undefined ? null : { ...input, category };
    }
    case "language_unknown":
      return reason.instead !== null && languages.includes(reason.instead) ? { ...input, language: reason.instead } : null;
    case "language_unlike":
      return { ...input, language: reason.seems === "pt" ? "pt_BR" : reason.seems };
    case "variables_with_gaps":
      return renumbered(input, field);
    case "replies_apart":
      return {
        ...input,
        buttons: (input.buttons ?? []).toSorted((a, b) => Number(b.type === "QUICK_REPLY") - Number(a.type === "QUICK_REPLY")),
      };
    case "examples_unneeded":
      return { ...input, examples: fitExamples(input) };
    case "examples_missing":
      return withExamples(input, samples);
    case "empty":
    case "example_repeated":
      return withExample(input, field, samples);
    case "too_many_characters":
      return changeText(input, field, (text) => (field === "body" ? null : cutAtWord(text, reason.limit)));
    default: {
      const changer = changers[reason.code];
      return changer === undefined ? null : changeText(input, field, changer);
    }
  }
}

function changeText(input: UncheckedTemplate, field: string, changer: Changer): UncheckedTemplate | null {
  const text = textAt(input, field);
  const changed = text === undefined ? null : changer(text, input, field);
  return changed === null || changed === text || isBlank(changed) ? null : withText(input, field, changed);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const withoutVariables = (text: string): string => oneLine(text.replaceAll(/\{\{[^{}]{0,60}\}\}|[{}]/g, " "));

const changers: Partial<Record<Reason["code"], Changer>> = {
  one_line: oneLine,
  one_line_without_variables: withoutVariables,
  no_variables: withoutVariables,
  no_emoji: (text) => oneLine(withoutEmoji(text, 0)),
  too_many_emoji: (text) => withoutEmoji(text, limits.bodyEmoji),
  no_markup: (text) => oneLine(text.replaceAll(/[*`~]/g, "").replaceAll("_", " ")),
  too_many_line_breaks: (text) =>
    text
      .replaceAll(/\r\n?/g, "\n")
      .trim()
      .replaceAll(/\n{3,}/g, "\n\n"),
  spaces_in_row: (text) => text.replaceAll(/[ \t]+/g, " "),
  variables_adjacent: (text) => text.replaceAll(/\}\}(?=\{\{)/g, "}}, "),
  variables_close: (text) => text.replaceAll(/\}\}[^\S\n]+(?=\{\{)/g, "}}, "),
  variable_malformed: wellFormed,
  variable_at_edge: (text, { language }) => enclosed(text, language),
  punctuation_behind_variable: (text, { language }) => closed(text, language),
  name_characters: snakeCase,
  name_reserved: (name) => (name === "hello_world" ? "welcome_message" : name.replace(/^(?:sample_)+/, "")),
  example_long: (text) => cutAtWord(text, longestExample),
  address_unencrypted: (url) => url.replace(/^http:/i, "https:"),
  no_http_address: (url) => (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#]\S*)?$/i.test(url.trim()) ? `https://${url.trim()}` : null),
  address_variable: variableLast,
  no_phone_number: (phone) =>
    phone
      .replaceAll(/[^\d+]/g, "")
      .replaceAll(/(?!^)\+/g, "")
      .replace(/^00/, "+"),
  no_country_code: (phone) => (/^\s*00[1-9]/.test(phone) ? phone.trim().replace(/^00/, "+") : null),
  label_repeated: (text, { buttons }, field) => numbered(text, (buttons ?? []).slice(0, Number(field.split(".")[1])).length + 1),
};

function withoutEmoji(text: string, kept: number): string {
  let count = 0;
  const pieces = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return pieces.filter((piece) => countEmoji(piece) === 0 || (count += 1) <= kept).join("");
}

/** The first words that fit, without a variable that the cut would break. */
function cutAtWord(text: string, limit: number): string | null {
  if (textLength(text) <= limit) return text.trim();
  const characters = Array.from(text);
  const head = characters.slice(0, limit).join("");
  const isWhole = /^\s/.test(characters[limit] ?? "");
  const words = isWhole ? head : head.replace(/[\s_][^\s_]*$/u, "");
  const cut = isBlank(words) || words === head ? head : words;
  const opens = cut.lastIndexOf("{{");
  const whole = opens >= 0 && !cut.includes("}}", opens) ? cut.slice(0, opens) : cut;
  return withoutEnd(whole.replace(/\{$/, ""));
}

/** The text without the punctuation before the cut. */
function withoutEnd(text: string): string | null {
  let end = text.length;
  while (end > 0 && /[\s,;:(–-]/u.test(text.charAt(end - 1))) end -= 1;
  return end === 0 ? null : text.slice(0, end).trimStart();
}

function snakeCase(name: string): string | null {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss");
  const words = plain
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z\d]+/g);
  return words === null ? null : words.join("_").slice(0, limits.name);
}

/** The text with `{{ 1 }}`, `{2}` and `{{name}}` as numbered variables: names get the numbers that follow. */
function wellFormed(text: string): string | null {
  const names = new Map<string, string>();
  const taken = new Set(Array.from(text.matchAll(/\{{1,3}[^\S\n]{0,5}(\d{1,3})[^\S\n]{0,5}\}{1,3}/g), ([, number = ""]) => Number(number)));
  const numberOf = (name: string): string => {
    if (/^[1-9]\d{0,2}$/.test(name)) return name;
    let next = 1;
    while (taken.has(next)) next += 1;
    const number = names.get(name) ?? String(next);
    if (!names.has(name)) taken.add(next);
    names.set(name, number);
    return number;
  };
  return text.replaceAll(/\{{1,3}[^\S\n]{0,5}([\p{L}\p{N}_.-]{1,60})[^\S\n]{0,5}\}{1,3}/gu, (_, name: string) => `{{${numberOf(name)}}}`);
}

/** The input with the variables of a text numbered from {{1}} without gaps, each with its example. */
function renumbered(input: UncheckedTemplate, field: string): UncheckedTemplate | null {
  const text = textAt(input, field);
  if (text === undefined) return null;
  const numbers = [...new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), ([, number = ""]) => number))].toSorted(
    (a, b) => Number(a) - Number(b),
  );
  const changed = withText(
    input,
    field,
    text.replaceAll(/\{\{(\d+)\}\}/g, (_, number: string) => `{{${numbers.indexOf(number) + 1}}}`),
  );
  const part = field === "body" ? "body" : "header";
  const given = input.examples?.[part] ?? [];
  const examples = numbers.map((number) => given[Number(number) - 1] ?? "");
  const kept = given.length > 0 && examples.every((example) => !isBlank(example)) ? examples : given.slice(0, numbers.length);
  return { ...changed, examples: { ...input.examples, [part]: kept.length === numbers.length ? kept : [] } };
}

function withExample(input: UncheckedTemplate, field: string, samples?: Partial<SlotTexts>): UncheckedTemplate | null {
  const [, name, index] = field.split(".");
  const part = exampleParts.find((each) => each === name);
  if (part === undefined) return null;
  const others = (input.examples?.[part] ?? []).filter((_, at) => at !== Number(index)).map((example) => example.trim());
  const example = exampleFor(input, { part, index: Number(index) }, new Set(others), samples?.[part]?.[Number(index)]);
  return withText(input, field, example);
}

function withExamples(input: UncheckedTemplate, samples?: Partial<SlotTexts>): UncheckedTemplate | null {
  const counts = slotCounts(toDefinition(input));
  if (exampleParts.some((part) => counts[part] > mostExamples)) return null;
  const filled = exampleParts.map((part) => {
    const given = input.examples?.[part] ?? [];
    const used = new Set(given.slice(0, counts[part]).map((example) => example.trim()));
    const examples = Array.from({ length: counts[part] }, (_, index) => {
      const own = given[index] ?? "";
      const example = isBlank(own) ? exampleFor(input, { part, index }, used, samples?.[part]?.[index]) : own;
      used.add(example.trim());
      return example;
    });
    return [part, examples] as const;
  });
  return { ...input, examples: { ...input.examples, ...Object.fromEntries(filled) } };
}

/** Words with which a message may begin and end, by language. */
const greetings: Readonly<Record<string, { opening: string; closing: string }>> = allGreetings;

function enclosed(text: string, language: string): string | null {
  const trimmed = text.trim();
  const opened = /^\{\{\d+\}\}/.test(trimmed) ? `${greetings[language.split("_")[0] ?? ""]?.opening ?? ""} ${trimmed}`.trim() : trimmed;
  return /\}\}[^\p{L}\p{N}]*$/u.test(opened) ? closed(opened, language) : opened;
}

function closed(text: string, language: string): string | null {
  const closing = greetings[language.split("_")[0] ?? ""]?.closing;
  if (closing === undefined) return null;
  const trimmed = text.trimEnd();
  return `${trimmed}${/[.!?]$/.test(trimmed) ? "" : "."} ${closing}`;
}

/** The address with its variable at the end, if that stands in the query; null if it stands in the path. */
function variableLast(url: string): string | null {
  const numbered = url.replaceAll(/\{\{\s*\w+\s*\}\}/g, "{{1}}");
  if (numbered.split("{{1}}").length !== 2) return null;
  const [, start, query] = /^([^?#]*)\?([^#]*)$/.exec(numbered) ?? [];
  if (start === undefined || query === undefined) return numbered;
  const parts = query.split("&");
  const own = parts.filter((part) => part.endsWith("{{1}}"));
  return own.length === 1 ? `${start}?${[...parts.filter((part) => !part.endsWith("{{1}}")), ...own].join("&")}` : null;
}

function numbered(text: string, number: number): string {
  const end = ` ${number}`;
  return `${cutAtWord(text.trim(), limits.buttonText - end.length) ?? ""}${end}`;
}
