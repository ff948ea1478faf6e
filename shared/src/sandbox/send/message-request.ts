import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { invalidParameter, missingParameter, refusal } from "../errors/graph-error.ts";
import { isObject, type JsonObject } from "../http/read-json.ts";
import { type ComponentInput, readComponents } from "./component-input.ts";
import { type Recipient, readRecipient } from "./recipient.ts";

/** A well-formed request to send a template message. */
export interface MessageRequest {
  recipient: Recipient;
  template: string;
  language: string;
  components: ComponentInput[];
  /** As sent, for the inbox. */
  rawComponents: unknown;
  /** `biz_opaque_callback_data`. */
  reference: string | null;
}

const OTHER_TYPES = ["audio", "contacts", "document", "image", "interactive", "location", "reaction", "sticker", "text", "video"];
const REFERENCE_LENGTH = 512;

/** Reads the body of a send (platform facts, 1.2). Throws the platform's refusal of what is wrong with it. */
export function readMessageRequest(body: JsonObject, account: SandboxAccount): MessageRequest {
  if (body["messaging_product"] === undefined) throw missingParameter("messaging_product");
  if (body["messaging_product"] !== "whatsapp") throw notOneOf("messaging_product", ["WHATSAPP"], body["messaging_product"]);
  const recipientType = body["recipient_type"] ?? "individual";
  if (recipientType !== "individual" && recipientType !== "group") throw notOneOf("recipient_type", ["INDIVIDUAL", "GROUP"], recipientType);
  const recipient = readRecipient(body, account);
  checkType(body["type"] ?? "text");
  const reference = readReference(body["biz_opaque_callback_data"]);
  return { recipient, reference, ...readTemplate(body["template"]) };
}

function checkType(type: unknown): void {
  if (type === "template") return;
  // Nobody ever writes to a sandbox account, so the 24 hours in which free-form messages are allowed never begin.
  if (typeof type === "string" && OTHER_TYPES.includes(type)) throw refusal(131047);
  throw refusal(131051, `Message type ${JSON.stringify(type)} is not supported`);
}

function readReference(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw invalidParameter("Param biz_opaque_callback_data must be a string.");
  if (value.length > REFERENCE_LENGTH) {
    throw invalidParameter(`Param biz_opaque_callback_data must be at most ${REFERENCE_LENGTH} characters long.`);
  }
  return value;
}

function readTemplate(value: unknown) {
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
  return { template: name, language: code, components: readComponents(components ?? []), rawComponents: components ?? [] };
}

function notOneOf(path: string, values: string[], got: unknown): Error {
  return invalidParameter(`Param ${path} must be one of {${values.join(", ")}} - got ${JSON.stringify(got)}.`);
}
