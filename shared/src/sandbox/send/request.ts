import { isBlank } from "../../core/text.ts";
import { invalidParameter, missingParameter, notOneOf, refusal } from "../graph-error.ts";
import { isObject, type JsonObject } from "../http.ts";
import { readCodeComponents } from "../templates/authentication.ts";
import { readTemplateComponents } from "../templates/components.ts";
import { readCategory, readParameterFormat } from "../templates/input.ts";
import type { TemplateRecord } from "../templates/store.ts";
import { type FreeForm, freeFormTypes, readFreeForm } from "./free-form.ts";

/** A template and what fills it. */
export interface TemplateInput {
  type: "template";
  template: string;
  language: string;
  components: ComponentInput[];
  /** The components as sent, for the inbox. */
  raw: unknown;
  /** The template, where the sender brings it: it is approved, whatever the account has. */
  given?: GivenTemplate | undefined;
}

export type GivenTemplate = Pick<TemplateRecord, "category" | "parameterFormat" | "components">;

const maxReferenceLength = 512;

/** Checks the members of a send that are before its recipient. Throws the platform's refusal of the first invalid part. */
export function checkProduct(body: JsonObject): void {
  if (body["messaging_product"] === undefined) throw missingParameter("messaging_product");
  if (body["messaging_product"] !== "whatsapp") throw notOneOf("messaging_product", ["WHATSAPP"], body["messaging_product"]);
  const recipientType = body["recipient_type"] ?? "individual";
  if (recipientType !== "individual" && recipientType !== "group") throw notOneOf("recipient_type", ["INDIVIDUAL", "GROUP"], recipientType);
}

/** Reads the members behind the recipient; `reference` is `biz_opaque_callback_data`. Throws the platform's refusal of the first invalid part. */
export function readMessageRequest(body: JsonObject): { message: TemplateInput | FreeForm; reference: string | null } {
  const type = body["type"] ?? "text";
  const reference = readReference(body["biz_opaque_callback_data"]);
  if (type === "template") return { message: { ...readTemplate(body["template"]), given: readGiven(body["_sandbox"]) }, reference };
  if (typeof type === "string" && freeFormTypes.includes(type)) return { message: readFreeForm(body, type), reference };
  throw refusal(131051, `Message type ${JSON.stringify(type)} is not supported`);
}

function readReference(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw invalidParameter("Param biz_opaque_callback_data must be a string.");
  if (value.length > maxReferenceLength)
    throw invalidParameter(`Param biz_opaque_callback_data must be at most ${maxReferenceLength} characters long.`);
  return value;
}

/** The template of a sender whose account here need not have it: `components` as in a call that creates it. */
function readGiven(value: unknown): GivenTemplate | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw invalidParameter("Param _sandbox must be a JSON object.");
  const [category, parameterFormat] = [readCategory(value["category"]), readParameterFormat(value["parameter_format"])];
  return {
    category,
    parameterFormat,
    components:
      category === "AUTHENTICATION" ? readCodeComponents(value["components"], "en_US") : readTemplateComponents(value["components"]),
  };
}

function readTemplate(value: unknown): TemplateInput {
  if (value === undefined) throw missingParameter("template");
  if (!isObject(value)) throw invalidParameter("Param template must be a JSON object.");
  const { name, language, components } = value;
  if (name === undefined || name === "") throw missingParameter("template['name']");
  if (language === undefined) throw missingParameter("template['language']");
  if (!isObject(language)) throw invalidParameter("Param template['language'] must be a JSON object.");
  const { code, policy } = language;
  if (code === undefined || code === "") throw missingParameter("template['language']['code']");
  if (policy !== undefined && policy !== "deterministic") throw notOneOf("template['language']['policy']", ["DETERMINISTIC"], policy);
  if (typeof name !== "string") throw invalidParameter("Param template['name'] must be a string.");
  if (typeof code !== "string") throw invalidParameter("Param template['language']['code'] must be a string.");
  return { type: "template", template: name, language: code, components: readComponents(components ?? []), raw: components ?? [] };
}

/** The text of a text, currency or date parameter. Throws the platform's refusal. */
export function textOf(parameter: ParameterInput, part: string): string {
  const text = rawText(parameter, part);
  if (isBlank(text)) throw refusal(131008, "Parameter of type text is missing text value");
  if (/[\n\r\t]| {5}/.test(text)) throw refusal(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces");
  return text;
}

function rawText({ type, fields, path }: ParameterInput, part: string): string {
  if (type === "TEXT") return readString(fields["text"] ?? "", `${path}['text']`);
  if (type === "CURRENCY") return fallbackOf(fields["currency"], `${path}['currency']`);
  if (type === "DATE_TIME") return fallbackOf(fields["date_time"], `${path}['date_time']`);
  throw refusal(132012, `${part}: Format mismatch, expected TEXT, received ${type}`);
}

const fallbackOf = (value: unknown, path: string): string =>
  readString(isObject(value) ? (value["fallback_value"] ?? "") : "", `${path}['fallback_value']`);

function readString(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidParameter(`Param ${path} must be a string.`);
  return value;
}

/** One of a send's `template.components`, well-formed but not yet compared with the template. */
export interface ComponentInput {
  type: "header" | "body" | "button";
  /** Upper case; empty unless a button. */
  subType: string;
  /** Position among all buttons; -1 unless a button. */
  index: number;
  parameters: ParameterInput[];
}

export interface ParameterInput {
  /** Upper case. */
  type: string;
  fields: JsonObject;
  /** The component's place in the body, written like the platform's paths. */
  path: string;
}

const componentTypes = ["HEADER", "BODY", "BUTTON"];

const buttonSubTypes = "BOOKING_CONFIRMATION CATALOG COPY_CODE FLOW MPM ORDER_DETAILS QUICK_REPLY REMINDER URL VOICE_CALL".split(" ");

function readComponents(value: unknown): ComponentInput[] {
  if (!Array.isArray(value)) throw invalidParameter("Param template['components'] must be an array.");
  const components = value.map((component: unknown, at) => readComponent(component, `template['components'][${at}]`));
  const places = components.map(({ type, index }) => `${type} ${index}`);
  const twice = places.findIndex((place, at) => places.indexOf(place) !== at);
  if (twice >= 0) throw invalidParameter(`Param template['components'][${twice}] repeats a component that was given before.`);
  return components;
}

function readComponent(value: unknown, path: string): ComponentInput {
  if (!isObject(value)) throw invalidParameter(`Param ${path} must be a JSON object.`);
  const type = readChoice(value["type"], componentTypes, `${path}['type']`).toLowerCase() as ComponentInput["type"];
  const parameters = readParameters(value["parameters"] ?? [], `${path}['parameters']`);
  if (type !== "button") return { type, subType: "", index: -1, parameters };
  const subType = readChoice(value["sub_type"], buttonSubTypes, `${path}['sub_type']`);
  return { type, subType, index: readIndex(value["index"], `${path}['index']`), parameters };
}

function readParameters(value: unknown, path: string): ParameterInput[] {
  if (!Array.isArray(value)) throw invalidParameter(`Param ${path} must be an array.`);
  return value.map((parameter: unknown, at) => {
    if (!isObject(parameter)) throw invalidParameter(`Param ${path}[${at}] must be a JSON object.`);
    const { type } = parameter;
    if (typeof type !== "string") throw missingParameter(`${path}[${at}]['type']`);
    return { type: type.toUpperCase(), fields: parameter, path: `${path}[${at}]` };
  });
}

/** Reads one of the choices, in either case. */
function readChoice(value: unknown, choices: string[], path: string): string {
  if (value === undefined) throw missingParameter(path);
  const choice = choices.find((one) => typeof value === "string" && one === value.toUpperCase());
  if (choice === undefined) throw notOneOf(path, choices, value);
  return choice;
}

/** Reads the index, which the platform documents as a string and as an integer. */
function readIndex(value: unknown, path: string): number {
  if (value === undefined || value === "") throw missingParameter(path);
  const index = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : value;
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0) throw invalidParameter(`Param ${path} must be an integer.`);
  return index;
}
