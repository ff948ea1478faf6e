import { invalidParameter, missingParameter } from "../errors/graph-error.ts";
import { isObject, type JsonObject } from "../http/read-json.ts";

/** One of a send's `template.components`, well-formed but not yet held against the template. */
export interface ComponentInput {
  type: "header" | "body" | "button";
  /** Upper case; only of a button. */
  subType: string;
  /** Place among all buttons; only of a button. */
  index: number;
  parameters: ParameterInput[];
}

export interface ParameterInput {
  /** Upper case. */
  type: string;
  fields: JsonObject;
  /** Where it stands in the body, as the platform writes paths. */
  path: string;
}

const TYPES = ["HEADER", "BODY", "BUTTON"];

/** The platform's own list (platform facts, 1.3). */
const SUB_TYPES = [
  "BOOKING_CONFIRMATION",
  "CATALOG",
  "COPY_CODE",
  "FLOW",
  "MPM",
  "ORDER_DETAILS",
  "QUICK_REPLY",
  "REMINDER",
  "URL",
  "VOICE_CALL",
];

export function readComponents(value: unknown): ComponentInput[] {
  if (!Array.isArray(value)) throw invalidParameter("Param template['components'] must be an array.");
  const components = value.map((component: unknown, at) => readComponent(component, `template['components'][${at}]`));
  const places = components.map(({ type, index }) => `${type} ${index}`);
  const twice = places.findIndex((place, at) => places.indexOf(place) !== at);
  if (twice >= 0) throw invalidParameter(`Param template['components'][${twice}] repeats a component that was given before.`);
  return components;
}

function readComponent(value: unknown, path: string): ComponentInput {
  if (!isObject(value)) throw invalidParameter(`Param ${path} must be a JSON object.`);
  const type = readChoice(value["type"], TYPES, `${path}['type']`).toLowerCase() as ComponentInput["type"];
  const parameters = readParameters(value["parameters"] ?? [], `${path}['parameters']`);
  if (type !== "button") return { type, subType: "", index: -1, parameters };
  const subType = readChoice(value["sub_type"], SUB_TYPES, `${path}['sub_type']`);
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

// Either case is taken.
function readChoice(value: unknown, choices: string[], path: string): string {
  if (value === undefined) throw missingParameter(path);
  const choice = choices.find((one) => typeof value === "string" && one === value.toUpperCase());
  if (choice === undefined) throw invalidParameter(`Param ${path} must be one of {${choices.join(", ")}} - got ${JSON.stringify(value)}.`);
  return choice;
}

// Documented as a string and as an integer.
function readIndex(value: unknown, path: string): number {
  if (value === undefined || value === "") throw missingParameter(path);
  const index = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : value;
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0) throw invalidParameter(`Param ${path} must be an integer.`);
  return index;
}
