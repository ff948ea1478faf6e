import { languages } from "../../core/template/platform-limits.ts";
import { memoize } from "../../core/text.ts";
import { isRestricted } from "../account-state.ts";
import { invalidParameter, notOneOf, templateRefusal } from "../graph-error.ts";
import type { JsonObject, SandboxContext } from "../http.ts";
import type { SandboxAccount } from "../store.ts";
import { readCodeComponents } from "./authentication.ts";
import { readTemplateComponents, slotNames, type TemplateButton, type TemplateComponent } from "./components.ts";
import { checkComponents } from "./rules.ts";
import { templateCategories, type TemplateCategory, type TemplateRecord } from "./store.ts";

/** Throws the platform's refusal unless the account may add a template of that name, language and category. */
export function checkName(context: SandboxContext, { wabaId, state }: SandboxAccount, { name, language, category }: CreateInput): void {
  if (category === "UTILITY" && isRestricted(state, "RESTRICTED_UTILITY_TEMPLATES", context.options.now()))
    throw templateRefusal("category_restricted");
  const existing = context.templates.ofAccount(wabaId);
  if (existing.length >= context.options.templateLimit)
    throw templateRefusal("too_many_templates", { limit: context.options.templateLimit });
  const siblings = existing.filter((record) => record.name === name);
  if (siblings.some((record) => record.language === language)) throw templateRefusal("exists", { language });
  if (name === "hello_world" || name.startsWith("sample_")) throw templateRefusal("reserved");
  const locked = context.templates
    .locks(wabaId, name)
    .find((lock) => lock.language === language && lock.until.getTime() > context.options.now());
  if (locked !== undefined) throw templateRefusal("being_deleted", { language, wait: locked.approved ? "in 4 weeks" : "in a minute" });
  const [sibling] = siblings;
  if (sibling !== undefined && sibling.category !== category)
    throw templateRefusal("other_category", { asked: category, associated: sibling.category });
}

export type CreateInput = Pick<
  TemplateRecord,
  "name" | "language" | "category" | "parameterFormat" | "components" | "ttlSeconds" | "hasMaxPrice"
>;

/** Reads the body of a create call. Throws the platform's refusal of the first missing or invalid part. */
export function readCreateInput(body: JsonObject): CreateInput {
  const name = readText(body, "name");
  if (!/^[a-z0-9_]{1,512}$/.test(name)) throw templateRefusal("name");
  const language = readText(body, "language");
  if (!languages.includes(language)) throw notOneOf("language", languages, language);
  const category = readCategory(readText(body, "category"));
  const parameterFormat = readParameterFormat(body["parameter_format"] ?? "POSITIONAL");
  const components = readComponentsOf(category, body["components"], { parameterFormat, language });
  const ttlSeconds = readTtl(body["message_send_ttl_seconds"], category);
  return { name, language, category, parameterFormat, components, ttlSeconds, hasMaxPrice: readMaxPrice(body, category) };
}

/** Reads and checks the components of a template of that category; those of one-time codes come out as the platform lists them. */
export function readComponentsOf(
  category: TemplateCategory,
  value: unknown,
  { parameterFormat, language }: Pick<TemplateRecord, "parameterFormat" | "language">,
): TemplateComponent[] {
  if (category === "AUTHENTICATION") return readCodeComponents(value, language);
  const components = readTemplateComponents(value);
  checkComponents(components, parameterFormat);
  return components;
}

function readMaxPrice(body: JsonObject, category: TemplateCategory): boolean {
  const hasPrice = body["optimization_spec"] !== undefined || body["bid_spec"] !== undefined;
  if (hasPrice && category !== "MARKETING") throw invalidParameter("Param optimization_spec is for templates of category MARKETING only.");
  return hasPrice;
}

export function readCategory(value: unknown): TemplateCategory {
  const category = templateCategories.find((one) => typeof value === "string" && one === value.toUpperCase());
  if (category === undefined) throw notOneOf("category", templateCategories, value);
  return category;
}

export function readParameterFormat(value: unknown): TemplateRecord["parameterFormat"] {
  const format = typeof value === "string" ? value.toUpperCase() : "";
  if (format === "POSITIONAL" || format === "NAMED") return format;
  throw notOneOf("parameter_format", ["POSITIONAL", "NAMED"], value);
}

/** Seconds until an undelivered message is dropped; -1 means 30 days. */
export function readTtl(value: unknown, category: TemplateCategory): number | null {
  if (value === undefined || value === null) return null;
  const [least, most] = timesToLive[category];
  const seconds = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || (seconds !== -1 && (seconds < least || seconds > most)))
    throw invalidParameter(`Param message_send_ttl_seconds must be -1 or from ${least} to ${most} for ${category}.`);
  return seconds;
}

const timesToLive: Record<TemplateCategory, readonly [least: number, most: number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

function readText(body: JsonObject, member: string): string {
  const value = body[member];
  if (value === undefined || value === "") throw invalidParameter(`The parameter ${member} is required`);
  if (typeof value !== "string") throw invalidParameter(`Param ${member} must be a string.`);
  return value;
}

/** A template as a send needs it. */
export interface TemplateShape {
  named: boolean;
  header: { format: "TEXT"; text: string; slots: string[] } | { format: "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION" } | null;
  body: { text: string; slots: string[] };
  footer: string | null;
  buttons: readonly TemplateButton[];
}

export const shapeOf = memoize(({ components, parameterFormat }: Pick<TemplateRecord, "components" | "parameterFormat">): TemplateShape => {
  const named = parameterFormat === "NAMED";
  const shape: TemplateShape = { named, header: null, body: { text: "", slots: [] }, footer: null, buttons: [] };
  const textAndSlots = (text: string) => ({ text, slots: slotNames(text, named) });
  for (const component of components) {
    if (component.type === "HEADER")
      shape.header = component.format === "TEXT" ? { format: "TEXT", ...textAndSlots(component.text) } : { format: component.format };
    else if (component.type === "BODY") shape.body = textAndSlots(component.text);
    else if (component.type === "FOOTER") shape.footer = component.text;
    else shape.buttons = component.buttons;
  }
  return shape;
});
