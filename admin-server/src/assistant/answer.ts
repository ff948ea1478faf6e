import { mapErrors } from "shared/core/binding";
import { variableMapSchema } from "shared/core/input/binding-members";
import { templateInputSchema } from "shared/core/input/templates";
import { phonesIn } from "shared/core/mask";
import { digitsOf } from "shared/core/phone-in-text";
import { describeReason } from "shared/core/reason";
import { checkTemplate, hostOf, type TemplateInput } from "shared/core/template/check";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { slotNamesOf } from "shared/core/template/slots";
import { shorten } from "shared/core/text";
import type { VariableMap } from "shared/core/variables";
import { z } from "zod";
import { plainText } from "./data.ts";

/** A model's answer after the check: a proposal, or the reasons why it is none. */
export type Judged<T> = { proposal: T } | { problems: string[] };

/** The proposal for a person, by the kind of question. */
export type Proposal = TemplateInput | BindingProposal | { text: string };

const line = z.string();

/** The form of a model's answer that drafts a template. */
export const draftAnswer = z.strictObject({
  name: line,
  category: z.enum(["UTILITY", "MARKETING"]),
  header: line.nullable(),
  body: line,
  footer: line.nullable(),
  buttons: z.array(
    z.strictObject({ type: z.enum(["URL", "QUICK_REPLY", "PHONE_NUMBER"]), text: line, url: line.nullable(), phone: line.nullable() }),
  ),
  examples: z.strictObject({ header: z.array(line), body: z.array(line), buttonUrl: z.array(line) }),
});

/** Checks the draft by the rules for templates that people write. Links and phones may come only from the person's `request`. */
export function judgeDraft(answer: unknown, { request, language }: { request: string; language: string }): Judged<TemplateInput> {
  const read = draftAnswer.safeParse(cleaned(answer));
  if (!read.success) return { problems: issuesOf(read.error) };
  const { name, category, header, body, footer, buttons, examples } = read.data;
  const template: UncheckedTemplate = {
    name,
    language,
    category,
    header: header === null || header === "" ? null : { format: "TEXT", text: header },
    body,
    footer: footer || null,
    buttons: buttons.map(({ type, text, url, phone }) => {
      if (type === "URL") return { type, text, url: url ?? "" };
      return type === "PHONE_NUMBER" ? { type, text, phone: phone ?? "" } : { type, text };
    }),
    examples,
  };
  return judgeTemplate(template, request);
}

/** The form of a model's answer that translates a template: only its texts, so that nothing else can change. */
export const translateAnswer = z.strictObject({
  header: line.nullable(),
  body: line,
  footer: line.nullable(),
  /** The labels, in their order. */
  buttons: z.array(line),
});

/** The template in the other language: with its own variables, addresses, phones and examples. */
export function judgeTranslation(answer: unknown, source: UncheckedTemplate, language: string): Judged<TemplateInput> {
  const read = translateAnswer.safeParse(cleaned(answer));
  if (!read.success) return { problems: issuesOf(read.error) };
  const { header, body, footer, buttons } = read.data;
  const labels = source.buttons ?? [];
  const text = source.header?.format === "TEXT" ? source.header.text : null;
  const problems = [
    ...(labels.length === buttons.length ? [] : [`buttons: must have ${labels.length} labels`]),
    ...((text === null) === (header === null) ? [] : [`header: must be ${text === null ? "null" : "a text"}`]),
    ...(!source.footer === !footer ? [] : [`footer: must be ${source.footer ? "a text" : "null"}`]),
    ...sameVariables("header", text ?? "", header ?? ""),
    ...sameVariables("body", source.body, body),
  ];
  if (problems.length > 0) return { problems };
  const template: UncheckedTemplate = {
    ...source,
    language,
    header: text === null ? (source.header ?? null) : { format: "TEXT", text: header ?? "" },
    body,
    footer,
    buttons: labels.map((button, at) => ({ ...button, text: buttons[at] ?? "" })),
  };
  // A template that came from the platform may lack examples: a person fills them in.
  return judgeTemplate(template, textsOf(source).join("\n"), awaitedOf(source));
}

function sameVariables(part: string, before: string, now: string): string[] {
  const [wanted, found] = [before, now].map((text) => [
    ...new Set(slotNamesOf(text, "POSITIONAL").filter((name) => text.includes(`{{${name}}}`))),
  ]);
  return String(wanted) === String(found)
    ? []
    : [`${part}: must hold the variables ${wanted?.map((name) => `{{${name}}}`).join(", ") || "none"}`];
}

/** The parts that a template still lacks before it can be submitted. */
const awaitedOf = (template: UncheckedTemplate): string[] =>
  checkTemplate(template).flatMap(({ field, awaited }) => (awaited === true ? field : []));

function judgeTemplate(template: UncheckedTemplate, source: string, lacking: readonly string[] = []): Judged<TemplateInput> {
  const contacts = foreignContacts(textsOf(template), source).map(
    (found) => `${shorten(found, 80)}: nobody asked for this link, address or phone; leave it out`,
  );
  const read = templateInputSchema.safeParse(template);
  if (!read.success) return { problems: [...issuesOf(read.error), ...contacts].slice(0, mostProblems) };
  const awaited = checkTemplate(read.data)
    .filter(({ field }) => !lacking.includes(field))
    .map(({ field, reason }) => `${field}: ${describeReason(reason)}`);
  const problems = [...awaited, ...contacts];
  return problems.length > 0 ? { problems: problems.slice(0, mostProblems) } : { proposal: read.data };
}

const textsOf = ({ header, body, footer, buttons, examples }: UncheckedTemplate): string[] => [
  header?.format === "TEXT" ? header.text : "",
  body,
  footer ?? "",
  ...(buttons ?? []).flatMap((button) => [
    button.text,
    button.type === "URL" ? button.url : button.type === "PHONE_NUMBER" ? `+${button.phone}` : "",
  ]),
  // The numbers in examples are made up.
  ...Object.values(examples ?? {}).flatMap((part) => part?.map((example) => example.replaceAll(/\p{Nd}/gu, "")) ?? []),
];

/** The links, mail addresses and phones of an answer that its source does not have. */
export function foreignContacts(texts: readonly string[], source: string): string[] {
  const known = new Set(linksIn(source));
  const digits = digitsOf(source);
  const links = texts.flatMap(linksIn).filter((link) => !known.has(link));
  const phones = texts.flatMap(phonesIn).filter((phone) => !digits.includes(digitsOf(phone)));
  return [...new Set([...links, ...phones])];
}

const between = /[\s()<>[\]"'“”„«»,;|]+/u;
const domain = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}$/u;

/** Hosts and mail addresses of the text. */
const linksIn = (text: string): string[] => text.toLowerCase().split(between).flatMap(linkOf);

function linkOf(word: string): string[] {
  if (word.includes("://")) return [hostOf(/https?:\/\/.*/u.exec(word)?.[0] ?? "")?.replace(/^www\./, "") ?? word];
  const name = (word.split(/[/?#:]/u, 1)[0] ?? "").replace(/^www\./, "").replace(/[.!]$/, "");
  if (name.includes("@")) return [name];
  return domain.test(name) ? [name] : [];
}

/** The form of a model's answer that fills a template's variables. */
export const bindingAnswer = z.strictObject({
  values: z.array(
    z.strictObject({
      part: z.enum(["header", "body", "button_url"]),
      // Providers' forms know no whole numbers; the map's own rules do.
      variable: z.number(),
      source: z.enum(["field", "expression", "none"]),
      value: line.nullable(),
      why: line,
    }),
  ),
});

export interface BindingProposal {
  variableMap: VariableMap;
  /** The reason for each value. */
  reasons: { part: "header" | "body" | "button_url"; variable: number; why: string }[];
}

/** Checks the values by the rules for bindings that people make; only fields that were named to the model count. */
export function judgeBinding(answer: unknown, definition: TemplateDefinition, paths: ReadonlySet<string>): Judged<BindingProposal> {
  const read = bindingAnswer.safeParse(cleaned(answer));
  if (!read.success) return { problems: issuesOf(read.error) };
  const given = read.data.values.filter(({ source }) => source !== "none");
  const problems: string[] = [];
  const map: Record<string, Record<string, unknown>> = {};
  for (const { part, variable, source, value } of given) {
    const group = (map[part] ??= {});
    if (group[variable] !== undefined) problems.push(`${part}.${variable}: is given twice`);
    if (source === "field" && !paths.has(value ?? "")) problems.push(`${part}.${variable}: ${shown(value)} is no field of the event`);
    group[variable] = source === "field" ? { source, path: value ?? "" } : { source, expr: value ?? "" };
  }
  const checked = variableMapSchema.safeParse(map);
  if (!checked.success) problems.push(...issuesOf(checked.error));
  else problems.push(...mapErrors(checked.data, definition).map((reason) => describeReason(reason)));
  if (!checked.success || problems.length > 0) return { problems: problems.slice(0, mostProblems) };
  const reasons = given.map(({ part, variable, why }) => ({ part, variable, why: plainText(why, longestWhy) }));
  return { proposal: { variableMap: checked.data, reasons } };
}

const longestWhy = 200;
const mostProblems = 10;
const shown = (value: string | null): string => JSON.stringify((value ?? "").slice(0, 80));

const issuesOf = ({ issues }: z.ZodError): string[] =>
  issues.slice(0, mostProblems).map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));

/** The answer, whole or in part, without characters that people would not see, and no deeper or longer than any answer should be. */
export function cleaned(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return plainText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === mostDepth) return null;
  if (Array.isArray(value)) return value.slice(0, mostElements).map((element) => cleaned(element, depth + 1));
  const members = Object.entries(value).slice(0, mostElements);
  return Object.fromEntries(members.map(([key, member]) => [key, cleaned(member, depth + 1)]));
}

const mostDepth = 6;
const mostElements = 200;
