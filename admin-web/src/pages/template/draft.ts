import { describeClause, type Reason } from "shared/core/reason";
import { checkTemplate } from "shared/core/template/check";
import type { Authentication, HeaderFile, TemplateExamples } from "shared/core/template/definition";
import { toDefinition, type UncheckedTemplate, toInput } from "shared/core/template/draft";
import { languages, type MediaFormat } from "shared/core/template/platform-limits";
import { slotCounts, urlSlotsOf } from "shared/core/template/slots";
import { isBlank } from "shared/core/text";
import { formatLanguage } from "../../format.ts";
import { t } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { tableOf } from "../../ui/base/labels.ts";
import type { ToldField } from "../../ui/form/conflict.tsx";
import type { Issue } from "../../ui/form/input-issues.ts";
import { categoryName } from "../../ui/template/template-labels.tsx";
import labels from "./labels.json";

/** The issues that prevent a submission. */
export function submissionIssues(values: TemplateValues): Issue[] {
  const { format, by } = values.header;
  const lacksFile = by === "file" && format !== "NONE" && format !== "TEXT";
  return checkTemplate(toUnchecked(values, "whole")).map(({ field, reason }) => ({
    path: field.split("."),
    message: describeClause(lacksFile && field === "header.url" ? { code: "file_not_chosen" } : reason, t),
    isFinal: field === "buttons" || field === "examples" || excesses.has(reason.code),
  }));
}

/** Faults that more typing cannot fix. */
const excesses: ReadonlySet<Reason["code"]> = new Set([
  "too_many_characters",
  "too_many_emoji",
  "too_many_line_breaks",
  "one_variable",
  "no_emoji",
  "no_markup",
  "no_variables",
]);

/** The fields that prevent even a draft. */
export const draftFaults = (values: TemplateValues): Set<string> =>
  new Set(checkTemplate(toUnchecked(values, "given")).flatMap(({ field, awaited }) => (awaited ? [] : [field])));

/** The label of a field. */
export function fieldName(field: string): string {
  const [part = "", index, member] = field.split(".");
  if (part === "buttons" && member !== undefined)
    return t("Button {value}, {value2}", { value: Number(index) + 1, value2: buttonMembers[member] ?? member });
  if (part === "examples" && member !== undefined && index === "body")
    return t("Example of '{{'{value}'}}'", { value: Number(member) + 1 });
  if (part === "examples" && index === "header") return t("Example of the header's '{{'1'}}'");
  if (part === "examples" && index === "buttonUrl") return t("Example of a button's '{{'1'}}'");
  return fieldNames[field] ?? field;
}

const buttonMembers: Record<string, string> = { text: t("label"), url: "URL", phone: t("phone number") };

const fieldNames: Record<string, string> = tableOf(labels.fields);

/** The fields in words. */
export const tellTemplate = (values: TemplateValues): ToldField[] => [
  { name: t("Name"), text: values.name, at: ["name"] },
  { name: t("Language"), text: formatLanguage(values.language), at: ["language"] },
  { name: t("Category"), text: categoryName(values.category), at: ["category"] },
  { name: t("Header"), text: describeHeader(values.header), at: ["header"] },
  { name: t("Body"), text: values.body, at: ["body"] },
  { name: t("Footer"), text: values.footer, at: ["footer"] },
  {
    name: t("Buttons"),
    text: values.buttons.map(({ text, url, phone }) => [text, url, phone].filter((part) => part !== "").join(" → ")).join("; "),
    at: ["buttons"],
  },
  { name: t("Examples"), text: values.bodyExamples.join("; "), at: ["bodyExamples"] },
  { name: t("Time to live"), text: values.ttlSeconds, at: ["ttlSeconds"] },
  ...tellCode(values.authentication),
];

const tellCode = ({ addSecurityRecommendation: isAdvised, codeExpirationMinutes, buttonText }: CodeValues): ToldField[] => [
  { name: t("Advise not to share the code"), text: isAdvised ? t("Yes") : t("No"), at: ["authentication/addSecurityRecommendation"] },
  { name: t("Code expires after (minutes)"), text: codeExpirationMinutes, at: ["authentication/codeExpirationMinutes"] },
  { name: t("Label of the copy button"), text: buttonText, at: ["authentication/buttonText"] },
];

const describeHeader = ({ format, text, by, url, file }: HeaderValues): string =>
  format === "NONE" ? "" : format === "TEXT" ? text : by === "url" ? url : (file?.name ?? "");

/** The fields as a template. With `examples: "whole"` a missing example is an empty text; otherwise a part without examples has none, as a draft may. */
export function toUnchecked(values: TemplateValues, examples: "whole" | "given"): UncheckedTemplate {
  const { name, language, category, header, body, footer, buttons } = values;
  const ttlSeconds = isBlank(values.ttlSeconds) ? null : Number(values.ttlSeconds);
  if (category === "AUTHENTICATION")
    return { name, language, category, body: "", authentication: authenticationOf(values.authentication), ttlSeconds };
  const texts = {
    name,
    language,
    category,
    header: uncheckedHeader(header),
    body,
    footer: footer || null,
    buttons: buttons.map(buttonOf),
    ttlSeconds,
  };
  const given = examplesOf(values, texts);
  if (examples === "whole") return { ...texts, examples: given };
  const orNone = (part: string[]): string[] => (part.every((example) => isBlank(example)) ? [] : part);
  return { ...texts, examples: { header: orNone(given.header), body: orNone(given.body), buttonUrl: orNone(given.buttonUrl) } };
}

const authenticationOf = ({ addSecurityRecommendation, codeExpirationMinutes: minutes, buttonText }: CodeValues): Authentication => ({
  addSecurityRecommendation,
  ...(!isBlank(minutes) && { codeExpirationMinutes: Number(minutes) }),
  ...(!isBlank(buttonText) && { buttonText: buttonText.trim() }),
});

function uncheckedHeader({ format, text, by, url, file }: HeaderValues): UncheckedTemplate["header"] {
  if (format === "NONE") return null;
  if (format === "TEXT") return { format, text };
  if (by === "url") return { format, url: url.trim() };
  return file === null ? { format } : { format, fileId: file.id };
}

function buttonOf({ type, text, url, phone }: ButtonValues): NonNullable<UncheckedTemplate["buttons"]>[number] {
  switch (type) {
    case "URL":
      return { type, text, url: url.trim() };
    case "PHONE_NUMBER":
      return { type, text, phone };
    case "QUICK_REPLY":
      return { type, text };
  }
}

function examplesOf({ header, bodyExamples, buttons }: TemplateValues, texts: UncheckedTemplate): TemplateExamples {
  const definition = toDefinition(texts);
  const counts = slotCounts(definition);
  const upTo = (count: number, given: readonly string[]): string[] => Array.from({ length: count }, (_, index) => given[index] ?? "");
  return {
    header: upTo(counts.header, [header.example]),
    body: upTo(counts.body, bodyExamples),
    buttonUrl: urlSlotsOf(definition).map(({ index }) => buttons[index]?.example ?? ""),
  };
}

/** A stored template in the editor's fields; null if it was created elsewhere and has parts that the editor cannot hold. */
export function valuesOf(template: TemplateText): TemplateValues | null {
  const input = toInput({ ...template, definition: template, ttl_seconds: "ttlSeconds" in template ? template.ttlSeconds : null });
  const { header } = template;
  const fileName = header !== null && "file" in header ? header.file?.name : undefined;
  return input && fromInput(input, fileName ?? "");
}

export type Template = Outputs["templates"]["get"]["template"];

/** What a template says, as it is and as a version had it. */
type TemplateText = Outputs["templates"]["versions"]["items"][number] | Template;

/** `fileName` is the name of an uploaded header file. */
export function fromInput(input: UncheckedTemplate, fileName: string): TemplateValues {
  const { name, language, category, body, footer, examples, ttlSeconds, authentication } = input;
  const empty = emptyValues(language);
  const header = headerValues(input, empty.header, fileName);
  const { addSecurityRecommendation = false, codeExpirationMinutes = "", buttonText = "" } = authentication ?? {};
  return {
    ...empty,
    name,
    category,
    body,
    footer: footer ?? "",
    bodyExamples: examples?.body ?? [],
    header,
    buttons: buttonsOf(input),
    ttlSeconds: String(ttlSeconds ?? ""),
    authentication: { addSecurityRecommendation, codeExpirationMinutes: String(codeExpirationMinutes), buttonText },
  };
}

/** The fields with the changed members of their template; the others keep their values, also those that another choice hides. */
export function patchValues(values: TemplateValues, input: UncheckedTemplate, patch: Partial<UncheckedTemplate>): TemplateValues {
  const made = fromInput({ ...input, ...patch }, values.header.file?.name ?? "");
  const { name, language, category, body, footer, bodyExamples } = made;
  const header =
    "header" in patch ? { ...values.header, ...made.header } : { ...values.header, example: made.header.example || values.header.example };
  const buttons = made.buttons.map((button, index) => ({
    ...("buttons" in patch ? button : (values.buttons[index] ?? button)),
    key: values.buttons[index]?.key ?? button.key,
    example: button.example,
  }));
  return { ...values, name, language, category, body, footer, bodyExamples, header, buttons };
}

function headerValues({ header, examples }: UncheckedTemplate, empty: HeaderValues, fileName: string): HeaderValues {
  if (header === null || header === undefined) return empty;
  if (header.format === "TEXT") return { ...empty, format: "TEXT", text: header.text, example: examples?.header?.[0] ?? "" };
  const { format, url, fileId } = header;
  if (fileId === undefined) return { ...empty, format, by: "url", url: url ?? "" };
  return { ...empty, format, by: "file", file: { id: fileId, name: fileName } };
}

function buttonsOf(input: UncheckedTemplate): ButtonValues[] {
  const slots = urlSlotsOf(toDefinition(input));
  return (input.buttons ?? []).reduce<ButtonValues[]>((made, button, index) => {
    const example = input.examples?.buttonUrl?.[slots.findIndex((slot) => slot.index === index)] ?? "";
    return [...made, { ...newButton(button.type, made), ...button, example }];
  }, []);
}

/** The editor's fields. Each keeps its value while another choice hides it. */
export interface TemplateValues {
  name: string;
  language: string;
  category: string;
  header: HeaderValues;
  body: string;
  /** The examples by the variable's number less 1. */
  bodyExamples: string[];
  footer: string;
  buttons: ButtonValues[];
  /** Seconds; empty for the platform's default. */
  ttlSeconds: string;
  authentication: CodeValues;
}

/** The choices of a template of one-time codes. */
interface CodeValues {
  addSecurityRecommendation: boolean;
  codeExpirationMinutes: string;
  buttonText: string;
}

export interface HeaderValues extends MediaValues {
  format: "NONE" | "TEXT" | MediaFormat;
  text: string;
  example: string;
}

export interface MediaValues {
  by: "url" | "file";
  url: string;
  file: Pick<HeaderFile, "id" | "name"> | null;
}

export type ButtonType = NonNullable<UncheckedTemplate["buttons"]>[number]["type"];

export interface ButtonValues {
  /** Does not change when the button moves. */
  key: number;
  type: ButtonType;
  text: string;
  url: string;
  /** The example of the variable in the button's URL. */
  example: string;
  phone: string;
}

export const emptyValues = (language: string): TemplateValues => ({
  name: "",
  language,
  category: "UTILITY",
  header: { format: "NONE", text: "", example: "", by: "file", url: "", file: null },
  body: "",
  bodyExamples: [],
  footer: "",
  buttons: [],
  ttlSeconds: "",
  authentication: { addSecurityRecommendation: true, codeExpirationMinutes: "", buttonText: "" },
});

export const newButton = (type: ButtonType, buttons: readonly ButtonValues[]): ButtonValues => ({
  key: Math.max(0, ...buttons.map(({ key }) => key)) + 1,
  type,
  text: "",
  url: "",
  example: "",
  phone: "",
});

/** The platform's code of a browser language; English if it has none. */
export function likelyLanguage(tag: string): string {
  const [whole, language = ""] = [tag.replace("-", "_"), tag.split("-", 1)[0]];
  return [whole, language].find((code) => languages.includes(code)) ?? "en";
}
