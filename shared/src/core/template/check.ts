import type { z } from "zod";
import { textLength, countEmoji } from "../text.ts";
import { type TemplateDefinition } from "./definition.ts";
import { uncheckedTemplateSchema, type UncheckedTemplate, toDefinition } from "./draft.ts";
import { cleanSlots, tooLong } from "./message.ts";
import { languageProblem, limits, categories } from "./platform-limits.ts";
import { slotCounts, type SlotTexts } from "./slots.ts";

/** A rule of the platform that a template breaks. `field` is a dotted path into the input (`buttons.0.url`). */
export interface Fault {
  field: string;
  message: string;
  /** True for what a draft may still lack: it counts when the template is submitted. */
  awaited?: true;
}

/** A template that keeps every rule of the platform; each broken one is an issue at its field. Examples may come before it is submitted. */
export const templateInputSchema = uncheckedTemplateSchema.superRefine((input, context) => {
  for (const { field, message, awaited } of checkTemplate(input)) {
    if (awaited) continue;
    context.addIssue({ code: "custom", input, path: pathOf(field), message: `${field}: ${message}` });
  }
});

export type TemplateInput = z.infer<typeof templateInputSchema>;

/** What `templates.update` may change. The template that comes of it has to pass `templateInputSchema`. */
export const templateChangesShape = uncheckedTemplateSchema.partial();

const pathOf = (field: string): (string | number)[] => field.split(".").map((key) => (Number.isNaN(Number(key)) ? key : Number(key)));

/** Every rule of the platform that a new template breaks (platform facts: template rules); empty when it can be submitted. */
export const checkTemplate = (input: UncheckedTemplate): Fault[] => [
  ...checkName(input.name),
  ...checkLanguage(input.language),
  ...checkCategory(input.category),
  ...checkHeader(input.header ?? null),
  ...checkBody(input.body),
  ...checkFooter(input.footer ?? null),
  ...checkButtons(input.buttons ?? []),
  ...checkExamples(input),
];

function checkName(name: string): Fault[] {
  const field = "name";
  if (name.length > limits.name) return [{ field, message: `must be at most ${limits.name} characters long` }];
  if (!/^[a-z0-9_]+$/.test(name)) return [{ field, message: "must be made of lower-case letters a-z, digits and underscores" }];
  if (name === "hello_world" || name.startsWith("sample_")) return [{ field, message: "is reserved for the platform's own samples" }];
  return [];
}

function checkLanguage(language: string): Fault[] {
  const message = languageProblem(language);
  return message === null ? [] : [{ field: "language", message }];
}

function checkCategory(category: string): Fault[] {
  if (categories.some((known) => known === category)) return [];
  if (category !== "AUTHENTICATION") return [{ field: "category", message: `must be ${categories.join(" or ")}` }];
  return [{ field: "category", message: "AUTHENTICATION templates have a fixed text: make them in the platform's manager and sync" }];
}

type Button = NonNullable<UncheckedTemplate["buttons"]>[number];

const PHONE = /^\+?\d[\d ()-]*$/;

export function checkButtons(buttons: Button[]): Fault[] {
  if (buttons.length > limits.buttons) return [{ field: "buttons", message: `must be at most ${limits.buttons}` }];
  return [...checkTogether(buttons), ...buttons.flatMap((button, index) => checkButton(button, `buttons.${index}`))];
}

function checkTogether(buttons: Button[]): Fault[] {
  const count = (type: Button["type"]): number => buttons.filter((button) => button.type === type).length;
  const messages: string[] = [];
  if (count("URL") > limits.urlButtons) messages.push(`must have at most ${limits.urlButtons} URL buttons`);
  if (count("PHONE_NUMBER") > limits.phoneButtons) messages.push("must have at most one phone button");
  const replies = buttons.map((button) => button.type === "QUICK_REPLY");
  if (replies.filter((isReply, index) => index > 0 && isReply !== replies[index - 1]).length > 1)
    messages.push("must have the quick replies together, before or behind all others");
  return messages.map((message) => ({ field: "buttons", message }));
}

function checkButton(button: Button, field: string): Fault[] {
  const faults = checkLabel(button.text).map((message) => ({ field: `${field}.text`, message }));
  if (button.type === "URL") faults.push(...checkUrl(button.url).map((message) => ({ field: `${field}.url`, message })));
  if (button.type === "PHONE_NUMBER" && (button.phone.length > limits.buttonPhone || !PHONE.test(button.phone))) {
    faults.push({
      field: `${field}.phone`,
      message: `must be a phone number of at most ${limits.buttonPhone} characters, as in +4930123456`,
    });
  }
  return faults;
}

function checkLabel(text: string): string[] {
  if (text.trim() === "") return ["must not be empty"];
  if (textLength(text) > limits.buttonText) return [`must be at most ${limits.buttonText} characters long`];
  return /[\n\r{}]/.test(text) ? ["must be one line without variables"] : [];
}

function checkUrl(url: string): string[] {
  const host = hostOf(url);
  if (host === null) return [`must be an http or https address of at most ${limits.url} characters`];
  if (/[{}]/.test(url.replace(/\{\{1\}\}$/, ""))) return ["may hold one variable, {{1}}, at its very end"];
  const refused = ["wa.me", "whatsapp.com"].some((name) => host === name || host.endsWith(`.${name}`));
  return refused ? ["must not lead to wa.me or whatsapp.com"] : [];
}

const parts = ["header", "body", "buttonUrl"] as const;

/** The platform's reviewers want one example for each variable, and the message that they make must be sendable. */
export function checkExamples(input: UncheckedTemplate): Fault[] {
  const definition = toDefinition(input);
  // Then the fault is the text's own.
  if (tooLong(definition, { header: [], body: [], buttonUrl: [] }) !== null) return [];
  const counts = slotCounts(definition);
  const examples: SlotTexts = definition.examples;
  const faults = parts.flatMap((part) => {
    const field = `examples.${part}`;
    const given = examples[part].length;
    if (given !== counts[part]) return [{ field, message: countMessage(counts[part]), ...(given === 0 && { awaited: true as const }) }];
    const empty = examples[part].flatMap((example, index) => (example.trim() === "" ? [index] : []));
    return empty.map((index) => ({ field: `${field}.${index}`, message: "must not be empty" }));
  });
  const long = tooLong(definition, cleanSlots(definition, examples));
  return long === null || faults.length > 0 ? faults : [{ field: "examples", message: long }];
}

const countMessage = (slots: number): string => {
  if (slots === 0) return "must be empty: there is no variable";
  return `must hold one example for each variable: ${slots}`;
};

const LINE_BREAK = /[\n\r\u2028\u2029]/;
const MARKUP = /[*`~]|_[^_]+_/;

export function checkHeader(header: Exclude<UncheckedTemplate["header"], undefined>): Fault[] {
  if (header === null) return [];
  if (header.format !== "TEXT") return checkMedia(header);
  const { text } = header;
  const length = lengthFaults(text, limits.header);
  if (length.length > 0) return faults("header.text", ...length);
  return faults(
    "header.text",
    LINE_BREAK.test(text) && "must be one line",
    countEmoji(text) > 0 && "must not hold emoji",
    MARKUP.test(text) && "must not hold asterisks or other markup",
    ...variableFaults(text),
    (text.match(/\{\{\d+\}\}/g)?.length ?? 0) > 1 && "must hold at most one variable",
  );
}

function checkMedia({ url, fileId }: { url?: string | undefined; fileId?: string | undefined }): Fault[] {
  if (url === undefined && fileId === undefined)
    return faults("header.url", "must be given: a file's address, or an uploaded file as header.fileId");
  if (url !== undefined && fileId !== undefined)
    return faults("header.fileId", "must not stand beside header.url: the file is sent by one of them");
  return url === undefined || isHttpUrl(url)
    ? []
    : faults("header.url", `must be an http or https address of at most ${limits.url} characters`);
}

export function checkBody(body: string): Fault[] {
  const length = lengthFaults(body, limits.body);
  if (length.length > 0) return faults("body", ...length);
  const text = blankedVariables(body.replace(/\r\n?/g, "\n").trim());
  const variables = text.split(VARIABLE).length - 1;
  const words = text.replaceAll(VARIABLE, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return faults(
    "body",
    ...variableFaults(body),
    (text.startsWith(VARIABLE) || text.endsWith(VARIABLE)) && "must not begin or end with a variable",
    variables > words && `has too many variables for its length: ${variables} to ${words} words`,
    /\n{3}/.test(text) && "must not hold more than two line breaks in a row",
    countEmoji(body) > limits.bodyEmoji && `must hold at most ${limits.bodyEmoji} emoji`,
  );
}

function checkFooter(footer: string | null): Fault[] {
  if (footer === null || footer === "") return [];
  const length = lengthFaults(footer, limits.footer);
  if (length.length > 0) return faults("footer", ...length);
  return faults(
    "footer",
    LINE_BREAK.test(footer) && "must be one line",
    countEmoji(footer) > 0 && "must not hold emoji",
    /\{\{|\}\}/.test(footer) && "must not hold variables",
  );
}

function lengthFaults(text: string, limit: number): string[] {
  if (text.trim() === "") return ["must not be empty"];
  return textLength(text) > limit ? [`must be at most ${limit} characters long`] : [];
}

const faults = (field: string, ...messages: (string | false)[]): Fault[] =>
  messages.filter((message) => message !== false).map((message) => ({ field, message }));

const HTTP_URL = /^https?:\/\/([^\s/?#{}]+)[^\s]*$/i;

/** The host of an http or https address in lower case, without user and port; null for what is none or is too long for the platform. */
export function hostOf(url: string): string | null {
  const authority = url.length <= limits.url ? HTTP_URL.exec(url)?.[1] : undefined;
  if (authority === undefined) return null;
  return authority.replace(/.*@/, "").replace(/:\d*$/, "").toLowerCase();
}

/** Whether `url` is such an address. */
export const isHttpUrl = (url: string): boolean => hostOf(url) !== null;

/** What stands for a variable in a text whose variables are blanked: a character that no template holds. */
export const VARIABLE = "\0";

/** The text with each well-formed numbered variable, `{{1}}`, replaced by `VARIABLE`. */
export const blankedVariables = (text: string): string => text.replaceAll(VARIABLE, "").replace(/\{\{\d+\}\}/g, VARIABLE);

/** What is wrong with a text's variables, a message each: their form, numbers and neighbours. */
export function variableFaults(text: string): string[] {
  const blanked = blankedVariables(text);
  // Braces that are left over belong to a variable that is none: {{name}}, {{ 1 }}, {{1}, {{{1}}}.
  if (/\{\{|\}\}|\{\0|\0\}/.test(blanked)) return ["has a malformed variable: write {{1}}, {{2}} and so on, without spaces"];
  const messages: string[] = [];
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => match[1] ?? ""));
  const expected = Array.from({ length: numbers.size }, (_, index) => String(index + 1));
  if (!expected.every((number) => numbers.has(number))) messages.push("must number its variables from {{1}} without gaps");
  if (blanked.includes(VARIABLE + VARIABLE)) messages.push("must have text between two variables");
  return messages;
}

/** What is allowed and may still go wrong or look wrong, a sentence each (platform facts: template rules). */
export function templateWarnings({ body, buttons }: TemplateDefinition): string[] {
  const replies = buttons.filter((button) => button.type === "QUICK_REPLY").length;
  const isMixed = replies > 0 && replies < buttons.length;
  const warnings = [
    /\}\}[^\p{L}\p{N}}]+$/u.test(body) &&
      "body: only punctuation follows its last variable, which the platform may take for a variable at the end.",
    buttons.length > 3 && 'buttons: of more than three, phones show two and "See all options".',
    (buttons.length > 3 || isMixed) && "buttons: four or more, or quick replies beside others, are not shown on desktops.",
  ];
  return warnings.filter((warning) => warning !== false);
}
