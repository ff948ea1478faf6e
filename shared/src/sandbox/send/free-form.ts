import { textLength } from "../../core/text.ts";
import { isRestricted } from "../account-state.ts";
import { GraphError, invalidParameter, missingParameter, refusal } from "../graph-error.ts";
import { isObject, type JsonObject } from "../http.ts";
import type { SandboxAccount } from "../store.ts";
import type { FilledMessage } from "./content.ts";

/** A message without a template. */
export interface FreeForm {
  type: "free";
  filled: FilledMessage;
  /** The type's member as sent. */
  raw: unknown;
  /** Of a Direct Send: the message takes no open window, and its text becomes a template. */
  direct: { category: unknown; ttlSeconds: unknown; kind: string } | null;
}

export const freeFormTypes = ["audio", "contacts", "document", "image", "interactive", "location", "reaction", "sticker", "text", "video"];
const textLimit = 4096;

/** Reads a message of one of `freeFormTypes`. Throws the platform's refusal when its part is missing. */
export function readFreeForm(body: JsonObject, type: string): FreeForm {
  const part = body[type];
  if (part === undefined) throw missingParameter(type);
  if (type !== "contacts" && !isObject(part)) throw invalidParameter(`Param ${type} must be a JSON object.`);
  const { category, ttl_seconds: ttlSeconds } = body;
  const direct = category === undefined && ttlSeconds === undefined ? null : { category, ttlSeconds, kind: type };
  return { type: "free", filled: fill(type, isObject(part) ? part : {}), raw: part, direct };
}

function fill(type: string, part: JsonObject): FilledMessage {
  const plain = { header: null, footer: null, buttons: [] };
  switch (type) {
    case "text":
      return { ...plain, body: textIn(part["body"], "text['body']", textLimit) };
    case "interactive":
      return fillInteractive(part);
    case "image":
    case "video":
    case "document": {
      const { id, link, caption, filename } = part;
      if (typeof id !== "string" && typeof link !== "string") throw refusal(131008, `${type} requires an id or a link`);
      const format = type.toUpperCase() as "IMAGE" | "VIDEO" | "DOCUMENT";
      const header = { format, id: wordOf(id), link: wordOf(link), filename: wordOf(filename) };
      return { ...plain, header, body: wordOf(caption) ?? "" };
    }
    default:
      return { ...plain, body: `[${type.toUpperCase()}] ${wordOf(part["emoji"] ?? part["name"]) ?? ""}`.trim() };
  }
}

function fillInteractive(part: JsonObject): FilledMessage {
  const header = isObject(part["header"]) ? wordOf(part["header"]["text"]) : null;
  return {
    header: header === null ? null : { format: "TEXT", text: header },
    body: textIn(isObject(part["body"]) ? part["body"]["text"] : undefined, "interactive['body']['text']", textLimit),
    footer: isObject(part["footer"]) ? wordOf(part["footer"]["text"]) : null,
    buttons: buttonsOf(isObject(part["action"]) ? part["action"] : {}),
  };
}

/** Reply buttons, or the link of a `cta_url`; a list shows its one button. */
function buttonsOf({ buttons, parameters, button }: JsonObject): FilledMessage["buttons"] {
  if (isObject(parameters)) return [{ type: "URL", text: wordOf(parameters["display_text"]) ?? "", url: wordOf(parameters["url"]) ?? "" }];
  if (!Array.isArray(buttons)) return typeof button === "string" ? [{ type: "QUICK_REPLY", text: button }] : [];
  return buttons.map((one: unknown) => {
    const { reply, url, text } = isObject(one) ? one : {};
    if (typeof url === "string") return { type: "URL", text: wordOf(text) ?? "", url };
    const { id, title } = isObject(reply) ? reply : {};
    return { type: "QUICK_REPLY", text: wordOf(title) ?? "", payload: wordOf(id) ?? "" };
  });
}

function textIn(value: unknown, path: string, limit: number): string {
  if (value === undefined || value === "") throw missingParameter(path);
  if (typeof value !== "string") throw invalidParameter(`Param ${path} must be a string.`);
  if (textLength(value) > limit) throw invalidParameter(`Param ${path} must be at most ${limit} characters long.`);
  return value;
}

const wordOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Times to live of Direct Sends in seconds. */
const timesToLive: Readonly<Record<string, readonly [least: number, most: number]>> = { utility: [30, 43_200], authentication: [30, 900] };
const directLimits = { body: 1024, line: 60, label: 20, buttons: 10, urls: 2 };

/** The category of a Direct Send, in upper case. Throws the platform's refusal when the account or the message may not be sent so. */
export function checkDirectSend({ filled, direct }: FreeForm, { state }: SandboxAccount, now: number): "UTILITY" | "AUTHENTICATION" {
  const { category, ttlSeconds, kind } = direct ?? { category: undefined, ttlSeconds: undefined, kind: "" };
  if (category === undefined) throw invalidParameter("Param ttl_seconds requires the parameter category.");
  const [name, range] = Object.entries(timesToLive).find(([one]) => typeof category === "string" && one === category.toLowerCase()) ?? [];
  if (name === undefined || range === undefined) throw invalidParameter("Param category must be one of {UTILITY, AUTHENTICATION}.");
  if (!state.directSend) throw new GraphError(400, { message: "(#100) Direct Send isn't enabled for this account", code: 100 });
  if (isRestricted(state, "RESTRICTED_DIRECT_SEND_UTILITY_TEMPLATES", now)) throw refusal(139200);
  const [least, most] = range;
  const isTime = typeof ttlSeconds === "number" && Number.isInteger(ttlSeconds) && ttlSeconds >= least && ttlSeconds <= most;
  if (ttlSeconds !== undefined && !isTime) throw invalidParameter(`Param ttl_seconds must be from ${least} to ${most} for ${name}.`);
  const { header, body, footer, buttons } = filled;
  const lines = [header?.format === "TEXT" ? header.text : "", footer ?? ""];
  const fits =
    (kind === "text" || kind === "interactive") &&
    textLength(body) <= directLimits.body &&
    lines.every((line) => textLength(line) <= directLimits.line) &&
    buttons.every(({ text }) => textLength(text) <= directLimits.label) &&
    buttons.length <= directLimits.buttons &&
    buttons.filter(({ type }) => type === "URL").length <= directLimits.urls;
  if (!fits) throw invalidParameter("The message is not within the limits of Direct Send.");
  return name === "utility" ? "UTILITY" : "AUTHENTICATION";
}
