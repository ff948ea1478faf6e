import { type Pricing, type ReportedStatus, reportedStatuses } from "../core/message.ts";
import type { TemplateStatus } from "../core/template/definition.ts";
import type { PlatformWord } from "../core/template/draft.ts";
import { type AccountNotice, readNotice, timeMember } from "./account-notice.ts";
import { type ErrorFacts, readError } from "./errors/classify.ts";
import { listMember, member, boundedText, idMember, textMember, boundedId } from "./exchange.ts";
import { knownTemplateStatus } from "./template-json.ts";

/** The updates of one call of the platform, in their order. */
export interface Callback {
  statuses: StatusUpdate[];
  templates: TemplateUpdate[];
  preferences: PreferenceUpdate[];
  messages: IncomingMessage[];
  /** People who have got another number, or another id. */
  moves: PersonMove[];
  notices: AccountNotice[];
  /** Updates of other kinds, without an id, or about somebody else's number or business account. */
  ignored: number;
}

/** The business account and the number that updates have to be about. One app may serve several, and has one address for all of them. */
export type CallbackOwner = Record<"wabaId" | "phoneNumberId", string>;

/**
 * @param body Any JSON; anything that is not an update is counted as ignored.
 * @param owner Whose updates are read; what names nobody is theirs. Null: everybody's.
 */
export function parseCallback(body: unknown, owner: CallbackOwner | null = null): Callback {
  const callback: Callback = { statuses: [], templates: [], preferences: [], messages: [], moves: [], notices: [], ignored: 0 };
  for (const entry of listMember(body, "entry")) {
    // The platform's sample has `rejection_info` beside `value`, so the whole change is passed on.
    const at = timeMember(entry, "time");
    for (const change of listMember(entry, "changes")) {
      if (owner === null || isAbout(owner, entry, change)) readChange(change, at, callback, owner);
      else callback.ignored += 1;
    }
  }
  return callback;
}

function isAbout({ wabaId, phoneNumberId }: CallbackOwner, entry: unknown, change: unknown): boolean {
  const number = idMember(member(member(change, "value"), "metadata"), "phone_number_id");
  return (idMember(entry, "id") ?? wabaId) === wabaId && (number ?? phoneNumberId) === phoneNumberId;
}

/** Reads a change by its keys, because `field` is wrong in the platform's own samples. */
function readChange(change: unknown, at: Date | null, callback: Callback, owner: CallbackOwner | null): void {
  const value = member(change, "value");
  const statuses = listMember(value, "statuses");
  const preferences = listMember(value, "user_preferences");
  const messages = listMember(value, "messages");
  const others = listMember(value, "errors").length;
  for (const item of statuses) add(readStatus(item), callback.statuses, callback);
  for (const item of preferences) add(readPreference(item), callback.preferences, callback);
  for (const item of messages) {
    const move = readMove(item);
    if (move === null) add(readMessage(item), callback.messages, callback);
    else callback.moves.push(move);
  }
  callback.ignored += others;
  if (statuses.length + preferences.length + messages.length + others > 0) return;
  const notice = readNotice(change, at, owner?.phoneNumberId ?? null);
  if (notice === null) add(readTemplateUpdate(change, at), callback.templates, callback);
  else callback.notices.push(notice);
}

function add<T>(update: T | null, list: T[], callback: Callback): void {
  if (update === null) callback.ignored += 1;
  else list.push(update);
}

/** A person stopped or resumed a kind of messages. */
export interface PreferenceUpdate {
  /** Digits without a plus; null of a person whose phone the platform hides. */
  sender: string | null;
  /** The platform's id for the person; null where it does not tell. */
  userId: string | null;
  value: "stop" | "resume";
  /** The kind of messages, such as `marketing_messages`. */
  category: string;
  at: Date | null;
}

function readPreference(item: unknown): PreferenceUpdate | null {
  const sender = boundedOrNull(idMember(item, "wa_id"));
  const userId = userIdMember(item, "user_id");
  const value = textMember(item, "value")?.toLowerCase();
  if ((sender === null && userId === null) || (value !== "stop" && value !== "resume")) return null;
  const category = boundedText(textMember(item, "category") ?? "marketing_messages");
  return { sender, userId, value, category, at: timeMember(item, "timestamp") };
}

/** The platform's id for a person: a country, a dot, and letters or digits. */
function userIdMember(value: unknown, key: string): string | null {
  const id = textMember(value, key);
  return id !== undefined && /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(id) ? id : null;
}

/** A person has got another number, or another id; the number's new form is null where it is hidden, or stayed. */
export type PersonMove = NonNullable<ReturnType<typeof readMove>>;

function readMove(item: unknown) {
  const system = member(item, "system");
  const type = textMember(system, "type");
  if (type !== "user_changed_number" && type !== "user_changed_user_id") return null;
  return {
    /** Digits without a plus, as are the new ones. */
    from: boundedOrNull(idMember(item, "from")),
    to: boundedOrNull(idMember(system, "wa_id") ?? idMember(system, "new_wa_id")),
    formerUserId: userIdMember(system, "previous_user_id") ?? userIdMember(item, "from_user_id"),
    userId: userIdMember(system, "user_id"),
    /** Whether the number has changed, and not the id alone. */
    hasNewNumber: type === "user_changed_number",
    at: timeMember(item, "timestamp"),
  };
}

/** A person's text, or the text of the button that they pressed. */
export type IncomingMessage = NonNullable<ReturnType<typeof readMessage>>;

/** The text of a message by its type: in which part, and as which member of that. */
function textOfMessage(item: unknown, type: string): string | undefined {
  const part = member(item, type);
  if (type === "text") return textMember(part, "body");
  if (type === "button") return textMember(part, "text");
  if (type !== "interactive") return undefined;
  return textMember(member(part, "button_reply"), "title") ?? textMember(member(part, "list_reply"), "title");
}

/** The most characters that the platform lets people write. */
const longestMessage = 4096;

/** Null without a type, and without a sender of any kind. */
function readMessage(item: unknown) {
  const [sender, type] = [boundedOrNull(idMember(item, "from")), textMember(item, "type")];
  const userId = userIdMember(item, "from_user_id");
  if ((sender === null && userId === null) || type === undefined) return null;
  return {
    /** The platform's id of the message. */
    id: boundedOrNull(textMember(item, "id")),
    /** Digits without a plus; null of a person whose phone the platform hides. */
    sender,
    userId,
    /** The type, such as `text`, `button` or `image`. */
    type: boundedText(type),
    /** The text; empty for a message without one. */
    text: (textOfMessage(item, type) ?? "").slice(0, longestMessage),
    /** The platform's id of the message that it answers. */
    context: boundedOrNull(textMember(member(item, "context"), "id")),
    at: timeMember(item, "timestamp"),
  };
}

/** One message reached one status. Updates repeat and come in any order. */
export type StatusUpdate = NonNullable<ReturnType<typeof readStatus>>;

function readPricing(pricing: unknown): Pricing | null {
  const category = textMember(pricing, "category")?.toLowerCase().replaceAll("-", "_").slice(0, longestTerm);
  if (category === undefined) return null;
  const [told, billable] = [textMember(pricing, "type")?.toLowerCase().slice(0, longestTerm), member(pricing, "billable")];
  // What is charged follows from the type; the platform is about to leave `billable` out.
  const isBillable = told === undefined ? billable === true : told === "regular";
  return { category: boundedText(category), type: boundedText(told ?? (isBillable ? "regular" : "free")), billable: isBillable };
}

const longestTerm = 60;

export interface StatusError extends Pick<ErrorFacts, "reason" | "class"> {
  /** The platform's code, or `unknown`. */
  code: string;
  /** The platform's list of errors, as it came. */
  detail: unknown;
}

/** The platform reports a voice message as `played` instead of `read`. */
const statuses = new Map<string, ReportedStatus>([...reportedStatuses.map((status) => [status, status] as const), ["played", "read"]]);

/** Null for an unknown status and without a message id. */
function readStatus(item: unknown) {
  const waMessageId = textMember(item, "id");
  const status = statuses.get(textMember(item, "status")?.toLowerCase() ?? "");
  if (waMessageId === undefined || status === undefined) return null;
  return {
    waMessageId: boundedId(waMessageId),
    status,
    /** The time by the platform's clock; null when missing or implausible. */
    at: timeMember(item, "timestamp"),
    /** Digits without a plus; null when the platform hides it. */
    recipient: boundedOrNull(idMember(item, "recipient_id")),
    /** The platform's id for the recipient; null where it does not tell. */
    userId: userIdMember(item, "recipient_user_id"),
    pricing: readPricing(member(item, "pricing")),
    /** Our `biz_opaque_callback_data`; see `parseReference`. */
    reference: boundedOrNull(textMember(item, "biz_opaque_callback_data")),
    /** Set for `failed`, null otherwise. */
    error: status === "failed" ? readErrors(listMember(item, "errors")) : null,
  };
}

/** Code and reason come from the first error; `detail` keeps all. */
function readErrors(errors: unknown[]): StatusError {
  const { code, reason, class: errorClass } = readError(errors[0]);
  return { code: code ?? "unknown", reason, class: errorClass, detail: errors };
}

const boundedOrNull = (text: string | undefined): string | null => (text === undefined ? null : boundedText(text));

/** A change of one template, with quality and categories in upper case; unchanged members are null. Look it up by platform id, else by name and language. */
export interface TemplateUpdate extends Pick<PlatformWord, "platformId" | "category" | "status" | "reason" | "quality" | "upcoming"> {
  /** When the platform sent it, by its clock; null when missing. */
  at: Date | null;
  name: string | null;
  /** With an underscore: `en_US`. */
  language: string | null;
  /** Texts, buttons or something unknown changed: read the template from the platform's list. */
  needsLook: boolean;
}

/**
 * @param change `{field, value}`; the result is null when it is not about a template.
 * @param at The time when the platform sent it.
 */
function readTemplateUpdate(change: unknown, at: Date | null): TemplateUpdate | null {
  const value = member(change, "value");
  const platformId = idMember(value, "message_template_id");
  const name = textMember(value, "message_template_name");
  const event = textMember(value, "event") ?? "";
  // An unknown event leaves the status as it is until the next poll.
  const status = knownTemplateStatus(event);
  const quality = textMember(value, "new_quality_score");
  const coming = textMember(value, "new_category") === undefined ? undefined : textMember(value, "correct_category");
  // Beside the coming category `new_category` is still the present one.
  const category = coming === undefined ? (textMember(value, "new_category") ?? textMember(value, "message_template_category")) : undefined;
  const needsLook =
    (event !== "" && status === undefined) ||
    undecided.has(event.toUpperCase()) ||
    isOtherUnpause(value, status) ||
    textKeys.some((key) => member(value, key) !== undefined);
  if ((platformId ?? name) === undefined || ((status ?? quality ?? category ?? coming) === undefined && !needsLook)) return null;
  return {
    at,
    platformId: boundedOrNull(platformId),
    name: boundedOrNull(name),
    language: boundedOrNull(textMember(value, "message_template_language")?.replaceAll("-", "_")),
    status: status ?? null,
    reason: status === undefined || status === "approved" ? null : reasonOf(change),
    quality: boundedOrNull(quality?.toUpperCase()),
    category: boundedOrNull(category?.toUpperCase()),
    upcoming:
      coming === undefined
        ? undefined
        : { category: boundedText(coming.toUpperCase()), at: timeMember(value, "category_update_timestamp") },
    needsLook,
  };
}

/** Members of an edit's update. For buttons it names only the labels. */
const textKeys = ["title", "element", "footer", "buttons"].map((part) => `message_template_${part}`);

/** Events that do not name the new status. */
const undecided = new Set(["UNARCHIVED", "LOCKED", "REINSTATED"]);

/** The end of a pause that comes as another event. */
const isOtherUnpause = (value: unknown, status: TemplateStatus | undefined): boolean =>
  status !== "approved" && textMember(member(value, "other_info"), "title")?.toUpperCase() === "UNPAUSE";

function reasonOf(change: unknown): string | null {
  const value = member(change, "value");
  if (textMember(value, "event")?.toUpperCase() === "ARCHIVED") return "ARCHIVED";
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
