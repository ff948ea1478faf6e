import type { Reason } from "../reason.ts";
import { countEmoji, isBlank, textLength } from "../text.ts";
import type { TemplateDefinition } from "./definition.ts";
import { type UncheckedTemplate, toDefinition } from "./draft.ts";
import { isBehindHost } from "./link.ts";
import { cleanSlots, tooLong } from "./message.ts";
import { languages, likeLanguage, limits, categories, timesToLive } from "./platform-limits.ts";
import { type SlotTexts, slotCounts } from "./slots.ts";

/** A rule of the platform that a template breaks. `field` is a dotted path into the input (`buttons.0.url`). */
export interface Fault {
  field: string;
  reason: Reason;
  /** True for a part that a draft may still lack: it counts when the template is submitted. */
  awaited?: true;
}

/** A template that keeps every rule of the platform. */
export type TemplateInput = UncheckedTemplate;

/** Every rule of the platform that a new template breaks (platform facts: template rules); empty when it can be submitted. */
export const checkTemplate = (input: UncheckedTemplate): Fault[] => [
  ...checkName(input.name),
  ...checkLanguage(input.language),
  ...checkCategory(input.category),
  ...checkTimeToLive(input),
  ...(input.category === "AUTHENTICATION" ? checkCodes(input) : checkTexts(input)),
];

const checkTexts = (input: UncheckedTemplate): Fault[] => [
  ...faults("authentication", Boolean(input.authentication) && { code: "only_for_codes" }),
  ...checkHeader(input.header ?? null),
  ...checkBody(input.body),
  ...checkFooter(input.footer ?? null),
  ...checkButtons(input.buttons ?? []),
  ...checkExamples(input),
];

function checkName(name: string): Fault[] {
  if (name.length > limits.name) return faults("name", { code: "too_many_characters", limit: limits.name });
  if (!/^[a-z0-9_]+$/.test(name)) return faults("name", { code: "name_characters" });
  return faults("name", (name === "hello_world" || name.startsWith("sample_")) && { code: "name_reserved" });
}

const checkLanguage = (language: string): Fault[] =>
  language === ""
    ? faults("language", { code: "language_not_chosen" })
    : faults("language", !languages.includes(language) && { code: "language_unknown", instead: likeLanguage(language) });

function checkCategory(category: string): Fault[] {
  if (categories.some((known) => known === category)) return [];
  return faults("category", { code: "category_unknown", categories });
}

function checkTimeToLive({ category, ttlSeconds: seconds = null }: UncheckedTemplate): Fault[] {
  const bounds = timesToLive[category];
  if (seconds === null || bounds === undefined) return [];
  const { least, most, endless } = bounds;
  const isWithin = (seconds >= least && seconds <= most) || (seconds === -1 && endless === true);
  return faults("ttlSeconds", !isWithin && { code: "ttl_out_of_range", least, most, endless: endless === true });
}

/** The platform writes these templates: nothing else than the choices may be given. */
function checkCodes({ body, header, footer, buttons, examples, authentication }: UncheckedTemplate): Fault[] {
  const given = { header, body, footer, buttons: buttons?.length, examples: Object.values(examples ?? {}).flat().length };
  const label = authentication?.buttonText ?? "";
  return [
    ...Object.entries(given).flatMap(([field, value]) => faults(field, Boolean(value) && { code: "category_fixed_text" })),
    ...faults("authentication.buttonText", label !== "" && checkLabel(label)),
  ];
}

type Button = NonNullable<UncheckedTemplate["buttons"]>[number];

const phonePattern = /^\+?\d[\d ()-]*$/;

export function checkButtons(buttons: Button[]): Fault[] {
  if (buttons.length > limits.buttons) return faults("buttons", { code: "too_many_buttons", limit: limits.buttons });
  return [...checkTogether(buttons), ...buttons.flatMap((button, index) => checkButton(button, `buttons.${index}`))];
}

function checkTogether(buttons: Button[]): Fault[] {
  const count = (type: Button["type"]): number => buttons.filter((button) => button.type === type).length;
  const replies = buttons.map((button) => button.type === "QUICK_REPLY");
  const turns = replies.filter((isReply, index) => index > 0 && isReply !== replies[index - 1]).length;
  return faults(
    "buttons",
    count("URL") > limits.urlButtons && { code: "too_many_url_buttons", limit: limits.urlButtons },
    count("PHONE_NUMBER") > limits.phoneButtons && { code: "too_many_phone_buttons" },
    turns > 1 && { code: "replies_apart" },
  );
}

function checkButton(button: Button, field: string): Fault[] {
  const label = faults(`${field}.text`, checkLabel(button.text));
  if (button.type === "URL") return [...label, ...faults(`${field}.url`, checkUrl(button.url))];
  if (button.type !== "PHONE_NUMBER") return label;
  const isPhone = button.phone.length <= limits.buttonPhone && phonePattern.test(button.phone);
  return [...label, ...faults(`${field}.phone`, !isPhone && { code: "no_phone_number", limit: limits.buttonPhone })];
}

function checkLabel(text: string): Reason | false {
  const length = lengthProblem(text, limits.buttonText);
  if (length !== false) return length;
  return /[\n\r{}]/.test(text) && { code: "one_line_without_variables" };
}

function checkUrl(url: string): Reason | false {
  const host = hostOf(url);
  if (host === null) return { code: "no_http_address", limit: limits.url };
  if (url.includes("{") && !isBehindHost(url.slice(0, url.indexOf("{")))) return { code: "address_variable_in_host" };
  if (/[{}]/.test(url.replace(/\{\{1\}\}$/, ""))) return { code: "address_variable" };
  const isRefused = ["wa.me", "whatsapp.com"].some((name) => host === name || host.endsWith(`.${name}`));
  return isRefused && { code: "address_of_whatsapp" };
}

const parts = ["header", "body", "buttonUrl"] as const;

/** The faults of examples: the platform's reviewers want one for each variable, and the message that they make must be sendable. */
export function checkExamples(input: UncheckedTemplate): Fault[] {
  const definition = toDefinition(input);
  // The fault is then the text's own.
  if (tooLong(definition, { header: [], body: [], buttonUrl: [] }) !== null) return [];
  const counts = slotCounts(definition);
  const examples: SlotTexts = definition.examples;
  const found = parts.flatMap((part): Fault[] => {
    const field = `examples.${part}`;
    const [given, count] = [examples[part].length, counts[part]];
    if (given === count)
      return examples[part].flatMap((example, index) => faults(`${field}.${index}`, isBlank(example) && { code: "empty" }));
    const reason: Reason = count === 0 ? { code: "examples_unneeded" } : { code: "examples_missing", count };
    return [{ field, reason, ...(given === 0 && { awaited: true as const }) }];
  });
  return found.length > 0 ? found : faults("examples", tooLong(definition, cleanSlots(definition, examples)) ?? false);
}

const lineBreak = /[\n\r\u2028\u2029]/;
const markup = /[*`~]|_[^_]+_/;

export function checkHeader(header: Exclude<UncheckedTemplate["header"], undefined>): Fault[] {
  if (header === null) return [];
  if (header.format !== "TEXT") return checkMedia(header);
  const { text } = header;
  const length = lengthProblem(text, limits.header);
  if (length !== false) return faults("header.text", length);
  return faults(
    "header.text",
    lineBreak.test(text) && { code: "one_line" },
    countEmoji(text) > 0 && { code: "no_emoji" },
    markup.test(text) && { code: "no_markup" },
    ...variableFaults(text),
    (text.match(/\{\{\d+\}\}/g)?.length ?? 0) > 1 && { code: "one_variable" },
  );
}

function checkMedia({ url, fileId }: { url?: string | undefined; fileId?: string | undefined }): Fault[] {
  if (url === undefined && fileId === undefined) return faults("header.url", { code: "file_missing" });
  if (url !== undefined && fileId !== undefined) return faults("header.fileId", { code: "file_given_twice" });
  return faults("header.url", url !== undefined && !isHttpUrl(url) && { code: "no_http_address", limit: limits.url });
}

export function checkBody(body: string): Fault[] {
  const length = lengthProblem(body, limits.body);
  if (length !== false) return faults("body", length);
  const text = blankedVariables(body.replace(/\r\n?/g, "\n").trim());
  const variables = text.split(variableMark).length - 1;
  const words = text.replaceAll(variableMark, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return faults(
    "body",
    ...variableFaults(body),
    (text.startsWith(variableMark) || text.endsWith(variableMark)) && { code: "variable_at_edge" },
    variables > words && { code: "too_many_variables", variables, words },
    /\n{3}/.test(text) && { code: "too_many_line_breaks" },
    countEmoji(body) > limits.bodyEmoji && { code: "too_many_emoji", limit: limits.bodyEmoji },
  );
}

function checkFooter(footer: string | null): Fault[] {
  if (footer === null || footer === "") return [];
  const length = lengthProblem(footer, limits.footer);
  if (length !== false) return faults("footer", length);
  return faults(
    "footer",
    lineBreak.test(footer) && { code: "one_line" },
    countEmoji(footer) > 0 && { code: "no_emoji" },
    /\{\{|\}\}/.test(footer) && { code: "no_variables" },
  );
}

function lengthProblem(text: string, limit: number): Reason | false {
  if (isBlank(text)) return { code: "empty" };
  return textLength(text) > limit && { code: "too_many_characters", limit };
}

const holding = (...reasons: (Reason | false)[]): Reason[] => reasons.filter((reason) => reason !== false);

/** The reasons that hold, as faults of the field. */
export const faults = (field: string, ...reasons: (Reason | false)[]): Fault[] => holding(...reasons).map((reason) => ({ field, reason }));

const httpUrl = /^https?:\/\/([^\s/?#{}]+)(?:[/?#{}]\S*)?$/i;

/** The host of an http or https address in lower case, without user and port; null for a text that is none or is too long for the platform. */
export function hostOf(url: string): string | null {
  const authority = url.length <= limits.url ? httpUrl.exec(url)?.[1] : undefined;
  if (authority === undefined) return null;
  return authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d*$/, "")
    .toLowerCase();
}

/** Whether `hostOf` finds a host in the address. */
export const isHttpUrl = (url: string): boolean => hostOf(url) !== null;

/** The character in place of a variable in a text whose variables are blanked; no template holds it. */
export const variableMark = "\0";

/** The text with each well-formed numbered variable, `{{1}}`, replaced by `VARIABLE`. */
export const blankedVariables = (text: string): string => text.replaceAll(variableMark, "").replace(/\{\{\d+\}\}/g, variableMark);

/** The faults of a text's variables: their form, numbers and neighbours. */
export function variableFaults(text: string): Reason[] {
  const blanked = blankedVariables(text);
  // Remaining braces belong to a malformed variable: {{name}}, {{ 1 }}, {{1}, {{{1}}}.
  if (/\{\{|\}\}|\{\0|\0\}/.test(blanked)) return [{ code: "variable_malformed" }];
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => match[1] ?? ""));
  const hasGaps = Array.from({ length: numbers.size }, (_, index) => String(index + 1)).some((number) => !numbers.has(number));
  const areAdjacent = blanked.includes(variableMark + variableMark);
  return holding(hasGaps && { code: "variables_with_gaps" }, areAdjacent && { code: "variables_adjacent" });
}

/** Parts that the platform allows and may still reject later or show differently (platform facts: template rules). */
export function templateWarnings({ body, buttons }: TemplateDefinition): Reason[] {
  const replies = buttons.filter((button) => button.type === "QUICK_REPLY").length;
  const isMixed = replies > 0 && replies < buttons.length;
  return holding(
    /\}\}[^\p{L}\p{N}}]+$/u.test(body) && { code: "punctuation_behind_variable" },
    buttons.length > 3 && { code: "buttons_folded" },
    (buttons.length > 3 || isMixed) && { code: "buttons_not_on_desktop" },
  );
}
