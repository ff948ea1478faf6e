import type { TemplateStatus } from "../core/template/definition.ts";
import { readError } from "./errors/classify.ts";
import type { ErrorClass } from "./errors/error-class.ts";
import { listMember, member, boundedText, idMember, textMember, boundedId } from "./exchange.ts";
import { knownTemplateStatus } from "./template-json.ts";

/** What one call of the platform tells, in the order in which it tells it. */
export interface Callback {
  statuses: StatusUpdate[];
  templates: TemplateUpdate[];
  preferences: PreferenceUpdate[];
  /** Updates of other kinds (incoming messages, account news) or without what identifies them. */
  ignored: number;
}

/** @param body Any JSON: what does not look like an update is ignored, never an error. */
export function parseCallback(body: unknown): Callback {
  const callback: Callback = { statuses: [], templates: [], preferences: [], ignored: 0 };
  for (const entry of listMember(body, "entry")) {
    // The platform's own sample shows `rejection_info` beside `value`, so the whole change is handed on.
    const at = timeMember(entry, "time");
    for (const change of listMember(entry, "changes")) readChange(change, at, callback);
  }
  return callback;
}

/** By the keys, not by `field`: the platform's samples get that wrong. */
function readChange(change: unknown, at: Date | null, callback: Callback): void {
  const value = member(change, "value");
  const statuses = listMember(value, "statuses");
  const preferences = listMember(value, "user_preferences");
  const others = listMember(value, "messages").length + listMember(value, "errors").length;
  for (const item of statuses) add(readStatus(item), callback.statuses, callback);
  for (const item of preferences) add(readPreference(item), callback.preferences, callback);
  callback.ignored += others;
  if (statuses.length + preferences.length + others === 0) add(readTemplateUpdate(change, at), callback.templates, callback);
}

function add<T>(update: T | null, list: T[], callback: Callback): void {
  if (update === null) callback.ignored += 1;
  else list.push(update);
}

/** A person stopped, or wants again, a kind of messages. */
export interface PreferenceUpdate {
  /** Digits without a plus. */
  recipient: string;
  value: "stop" | "resume";
  /** Such as `marketing_messages`. */
  category: string;
  at: Date | null;
}

function readPreference(item: unknown): PreferenceUpdate | null {
  const recipient = idMember(item, "wa_id");
  const value = textMember(item, "value")?.toLowerCase();
  if (recipient === undefined || (value !== "stop" && value !== "resume")) return null;
  const category = boundedText(textMember(item, "category") ?? "marketing_messages");
  return { recipient: boundedText(recipient), value, category, at: timeMember(item, "timestamp") };
}

/** One message reached one state. Repeats and any order are normal. */
export interface StatusUpdate {
  waMessageId: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** When it happened, by the platform's clock; null when it does not say, or says nonsense. */
  at: Date | null;
  /** Digits without a plus; null when the platform hides the phone. */
  recipient: string | null;
  /** What we gave as `biz_opaque_callback_data`: see `parseReference`. */
  reference: string | null;
  /** Only of `failed`, and always there. */
  error: StatusError | null;
}

export interface StatusError {
  /** The platform's code, or `unknown`. */
  code: string;
  /** The platform's title or message, then its details. */
  reason: string;
  class: ErrorClass;
  stopsAccount: boolean;
  /** The platform's list of errors, as it came. */
  detail: unknown;
}

/** A voice message that was played has been read. */
const statuses = new Map<string, StatusUpdate["status"]>([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "read"],
  ["played", "read"],
  ["failed", "failed"],
]);

/** Null for a status that is new here, and for an item without a message id. */
function readStatus(item: unknown): StatusUpdate | null {
  const waMessageId = textMember(item, "id");
  const status = statuses.get(textMember(item, "status")?.toLowerCase() ?? "");
  if (waMessageId === undefined || status === undefined) return null;
  return {
    waMessageId: boundedId(waMessageId),
    status,
    at: timeMember(item, "timestamp"),
    recipient: boundedOrNull(idMember(item, "recipient_id")),
    reference: boundedOrNull(textMember(item, "biz_opaque_callback_data")),
    error: status === "failed" ? readErrors(listMember(item, "errors")) : null,
  };
}

/** The first counts; all are kept. */
function readErrors(errors: unknown[]): StatusError {
  const { code, reason, class: errorClass } = readError(errors[0]);
  return { code: code ?? "unknown", reason, class: errorClass, stopsAccount: errorClass === "account", detail: errors };
}

function boundedOrNull(text: string | undefined): string | null {
  return text === undefined ? null : boundedText(text);
}

/** 2001 and 2100: what lies outside are not seconds of a message's life (milliseconds, say). */
const earliest = 1_000_000_000;
const latest = 4_102_444_800;

/** Unix seconds, written as a string or a number; null when absent or absurd. */
function timeMember(value: unknown, key: string): Date | null {
  const number = member(value, key);
  const seconds = typeof number === "number" ? Math.floor(number) : Number(/^\d{1,12}$/.exec(idMember(value, key) ?? "")?.[0] ?? NaN);
  return seconds >= earliest && seconds < latest ? new Date(seconds * 1_000) : null;
}

/** What changed about one template: members that did not change are null. It is found by its platform id, else by name and language. */
export interface TemplateUpdate {
  /** When the platform told it, by its own clock; null when it does not say. */
  at: Date | null;
  platformId: string | null;
  name: string | null;
  /** With an underscore: `en_US`. */
  language: string | null;
  status: TemplateStatus | null;
  /** Belongs to `status`: why it is not approved, in the platform's words. */
  reason: string | null;
  /** Upper case, such as `GREEN`. */
  quality: string | null;
  /** Upper case, such as `MARKETING`: the category that now counts. */
  category: string | null;
  /** Its texts or buttons changed, or something that has no name here: only the platform's list tells what it is like now. */
  needsLook: boolean;
}

/**
 * @param change `{field, value}`; null when its value tells nothing about a template.
 * @param at When the platform told it.
 */
function readTemplateUpdate(change: unknown, at: Date | null): TemplateUpdate | null {
  const value = member(change, "value");
  const platformId = idMember(value, "message_template_id");
  const name = textMember(value, "message_template_name");
  const event = textMember(value, "event") ?? "";
  // An event that is new here need not be bad news: the next poll tells.
  const status = knownTemplateStatus(event);
  const quality = textMember(value, "new_quality_score");
  const category = textMember(value, "new_category") ?? textMember(value, "message_template_category");
  const needsLook =
    (event !== "" && status === undefined) ||
    undecided.has(event.toUpperCase()) ||
    isOtherUnpause(value, status) ||
    textKeys.some((key) => hasMember(value, key));
  if ((platformId ?? name) === undefined || ((status ?? quality ?? category) === undefined && !needsLook)) return null;
  return {
    at,
    platformId: clean(platformId),
    name: clean(name),
    language: clean(textMember(value, "message_template_language")?.replaceAll("-", "_")),
    status: status ?? null,
    reason: status === undefined || status === "approved" ? null : reasonOf(change),
    quality: clean(quality?.toUpperCase()),
    category: clean(category?.toUpperCase()),
    needsLook,
  };
}

/** What the platform tells of an edit: texts, and no more of buttons than their labels. */
const textKeys = ["title", "element", "footer", "buttons"].map((part) => `message_template_${part}`);

/** Events that do not say what they lead to. */
const undecided = new Set(["UNARCHIVED", "LOCKED", "REINSTATED"]);

/** The end of a pause that calls itself by another event. */
const isOtherUnpause = (value: unknown, status: TemplateStatus | undefined): boolean =>
  status !== "approved" && textMember(member(value, "other_info"), "title")?.toUpperCase() === "UNPAUSE";

const hasMember = (value: unknown, key: string): boolean => member(value, key) !== undefined;

function reasonOf(change: unknown): string | null {
  const value = member(change, "value");
  const info = member(value, "rejection_info") ?? member(change, "rejection_info");
  const other = member(value, "other_info");
  const words = [
    textMember(value, "reason"),
    textMember(other, "title"),
    textMember(other, "description"),
    textMember(info, "reason"),
    textMember(info, "recommendation"),
  ].filter((word) => word !== undefined && word !== "NONE");
  return words.length === 0 ? null : boundedText([...new Set(words)].join(": "));
}

function clean(text: string | undefined): string | null {
  return text === undefined ? null : boundedText(text);
}
