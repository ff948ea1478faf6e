import { languages } from "../../core/template/languages.ts";
import { invalidParameter, templateRefusal } from "../errors/graph-error.ts";
import type { JsonObject } from "../http/read-json.ts";
import { templateCategories, type TemplateCategory, type TemplateComponent, type TemplateRecord } from "./record.ts";
import { checkComponents } from "./rules/component-rules.ts";
import { readTemplateComponents } from "./template-input.ts";

export interface CreateInput {
  name: string;
  language: string;
  category: TemplateCategory;
  parameterFormat: TemplateRecord["parameterFormat"];
  components: TemplateComponent[];
  ttlSeconds: number | null;
}

/** What a new template is to be. Throws the platform's refusal of what is missing or breaks a rule (platform facts, 2.5 and 3). */
export function readCreateInput(body: JsonObject): CreateInput {
  const name = readText(body, "name");
  if (!/^[a-z0-9_]{1,512}$/.test(name)) {
    throw templateRefusal(undefined, "Invalid template name", "The name can have up to 512 lower-case letters, digits and underscores.");
  }
  const language = readText(body, "language");
  if (!languages.includes(language)) throw invalidParameter(`Param language must be one of {${languages.join(", ")}} - got "${language}".`);
  const category = readCategory(readText(body, "category"));
  const parameterFormat = readParameterFormat(body["parameter_format"] ?? "POSITIONAL");
  const components = readTemplateComponents(body["components"]);
  checkComponents(components, parameterFormat);
  return { name, language, category, parameterFormat, components, ttlSeconds: readTtl(body["message_send_ttl_seconds"], category) };
}

export function readCategory(value: unknown): TemplateCategory {
  const category = templateCategories.find((one) => typeof value === "string" && one === value.toUpperCase());
  if (category === undefined) {
    throw invalidParameter(`Param category must be one of {${templateCategories.join(", ")}} - got ${JSON.stringify(value)}.`);
  }
  if (category === "AUTHENTICATION") {
    throw templateRefusal(
      undefined,
      "Category not available",
      "The sandbox has no authentication templates: their text is the platform's own.",
    );
  }
  return category;
}

export function readParameterFormat(value: unknown): TemplateRecord["parameterFormat"] {
  const format = typeof value === "string" ? value.toUpperCase() : "";
  if (format === "POSITIONAL" || format === "NAMED") return format;
  throw invalidParameter(`Param parameter_format must be one of {POSITIONAL, NAMED} - got ${JSON.stringify(value)}.`);
}

/** Seconds until an undelivered message is dropped; -1 is 30 days (platform facts, 1.7). */
export function readTtl(value: unknown, category: TemplateCategory): number | null {
  if (value === undefined || value === null) return null;
  const [least, most] = category === "UTILITY" ? [30, 43_200] : [43_200, 2_592_000];
  if (typeof value !== "number" || !Number.isInteger(value) || (value !== -1 && (value < least || value > most))) {
    throw invalidParameter(`Param message_send_ttl_seconds must be -1 or from ${least} to ${most} for ${category}.`);
  }
  return value;
}

function readText(body: JsonObject, member: string): string {
  const value = body[member];
  if (value === undefined || value === "") throw invalidParameter(`The parameter ${member} is required`);
  if (typeof value !== "string") throw invalidParameter(`Param ${member} must be a string.`);
  return value;
}
