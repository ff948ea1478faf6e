import type { ConditionOp, JudgedRule, UnmetConditions } from "./conditions.ts";
import type { PhoneProblem } from "./phone.ts";
import type { DueProblem } from "./schedule/due.ts";
import type { TemplateStatus } from "./template/definition.ts";
import { sentenceCase } from "./text.ts";

/** A slot of a template: the group of the variable map that fills it, and the template's name for it (`1`, `first_name`). */
export interface SlotReference {
  group: SlotGroupKey;
  name: string;
}

/** The groups of a variable map. */
export type SlotGroupKey = "header" | "body" | "button_url";

/** A template by name and language. */
export interface TemplateReference {
  template: string;
  language: string;
}

/** What each reason tells beside its code. */
interface Details {
  // Recipients of a binding
  no_phone_at_path: { path: string };
  no_active_recipient: object;
  no_test_phone: object;
  phones_not_e164: { count: number };
  phone_unreadable: { path: string; problem: PhoneProblem };
  phone_dropped: { phone: string; problem?: PhoneProblem };
  // Why a binding does not fire
  conditions_unmet: UnmetConditions;
  due_past: Omit<DueProblem, "code">;
  due_unreadable: Omit<DueProblem, "code">;
  // Why a slot is empty. `from`: the payload's path or the expression helper; null for a static value.
  value_not_mapped: { slot: SlotReference };
  value_missing: { slot: SlotReference; from: string | null };
  value_blank: { slot: SlotReference; from: string | null };
  // Bindings and messages. `of` is named where no page of the binding stands around the sentence.
  slot_not_mapped: { slot: SlotReference };
  slot_unresolved: { slots: EmptySlot[]; more: number };
  template_not_approved: { status: Exclude<TemplateStatus, "approved">; of?: TemplateReference };
  template_not_sendable: { part: "header_type" | "header_without_file" | "header_file_not_uploaded" | "button"; name: string };
  template_changed: { changes: SlotChange[]; more: number; of?: TemplateReference };
  too_long: { group: SlotGroupKey; button: number | null; length: number; limit: number };
  equal_binding: { bindingId: string };
  url_not_fitting: { slot: SlotReference; fixed: string };
  too_many_recipients: { limit: number };
  recipient_opted_out: object;
  // Why a shop's orders could not be fetched
  shop_unreachable: { cause: string };
  shop_timeout: { seconds: number };
  shop_address_private: object;
  shop_not_encrypted: object;
  shop_redirects: object;
  shop_refuses_key: { status: number };
  shop_without_orders: object;
  shop_failed: { status: number };
  shop_answer_too_large: { megabytes: number };
  shop_answer_unreadable: object;
  shop_has_too_many: { orders: number };
  shop_too_slow: object;
  shop_address_changed: object;
  shop_key_unreadable: object;
  // How a template's slots differ from those that a variable map was written for
  slots_differ: { group: SlotGroupKey; before: readonly string[]; now: readonly string[] };
  slot_gone: { group: SlotGroupKey; slot: number; count: number };
  // What a template's text may lead to
  punctuation_behind_variable: object;
  buttons_folded: object;
  buttons_not_on_desktop: object;
  // The platform's rules for a template, each at a field of its input
  empty: object;
  one_line: object;
  one_line_without_variables: object;
  no_emoji: object;
  no_markup: object;
  no_variables: object;
  one_variable: object;
  too_many_characters: { limit: number };
  too_many_emoji: { limit: number };
  too_many_line_breaks: object;
  too_many_variables: { variables: number; words: number };
  variable_at_edge: object;
  variable_malformed: object;
  variables_with_gaps: object;
  variables_adjacent: object;
  name_characters: object;
  name_reserved: object;
  language_unknown: { instead: string | null };
  category_unknown: { categories: readonly string[] };
  category_fixed_text: object;
  category_of_other_language: { category: string; template: string; language: string };
  too_many_buttons: { limit: number };
  too_many_url_buttons: { limit: number };
  too_many_phone_buttons: object;
  replies_apart: object;
  no_phone_number: { limit: number };
  no_http_address: { limit: number };
  address_variable: object;
  address_of_whatsapp: object;
  file_missing: object;
  file_not_chosen: object;
  file_given_twice: object;
  examples_missing: { count: number };
  examples_unneeded: object;
}

/** Why something cannot be, or was not, sent: data, of which `describeReason` makes the sentence. */
export type Reason = { [Code in keyof Details]: { code: Code } & Details[Code] }[keyof Details];
type ReasonOf<Code extends keyof Details> = Extract<Reason, { code: Code }>;

/** Why a slot has no value. */
export type EmptySlot = ReasonOf<"value_not_mapped" | "value_missing" | "value_blank">;
export type SlotChange = ReasonOf<"slots_differ" | "slot_gone">;
/** Why a planned message is not handed to the platform; the code is the message's error code. */
export type PlanFailure = ReasonOf<
  | "slot_unresolved"
  | "template_not_approved"
  | "template_not_sendable"
  | "template_changed"
  | "too_long"
  | "url_not_fitting"
  | "too_many_recipients"
  | "recipient_opted_out"
>;

/** Why a message has no recipient, with the field that was looked at. */
export type Unreached = ReasonOf<"no_phone_at_path" | "phone_unreadable" | "no_active_recipient" | "no_test_phone">;

/** Why not all orders of a shop were looked at. */
export type ReconcileProblem = Extract<Reason, { code: `shop_${string}` }>;

/** `api`: answers and stored texts name slots as a variable map does. `page`: the dashboard's plainer words. */
export type Reader = "api" | "page";

/** A reason as a sentence, or as a clause where others may follow it. */
export function describeReason(reason: Reason, reader: Reader = "api"): string {
  const write = sentences[reason.code] as (reason: Reason, isPage: boolean) => string;
  const text = write(reason, reader === "page");
  return reader === "page" ? sentenceCase(text) : text;
}

/** The log's code and stored text of a message that fails for this reason. */
export const failureOf = (reason: PlanFailure): { code: string; reason: string } => ({ code: reason.code, reason: describeReason(reason) });

const phoneRule = "a plus sign, the country code and the number, digits only";

/** What is wrong with a phone, behind `it`. */
const phoneFaults: Readonly<Record<PhoneProblem, string>> = {
  no_country: "has no country code (+49…)",
  too_short: "has too few digits for its country",
  too_long: "has too many digits for its country",
  not_a_number: "is not a phone number",
  not_valid: "is not a number that exists, or not written as plus and digits",
};

const sentences: { [Code in keyof Details]: (details: Details[Code], isPage: boolean) => string } = {
  no_phone_at_path: ({ path }) => `no recipient: ${path} is missing or no text`,
  no_active_recipient: () => "no recipient: the site's list has no active phone",
  no_test_phone: () => "no recipient: the site has no test phone",
  phones_not_e164: ({ count }, isPage) => {
    if (isPage) return count === 1 ? "phone number has no country code (+49…)" : "phone numbers have no country code (+49…)";
    return count === 1 ? "the phone is not E.164" : "the phones are not E.164";
  },
  phone_unreadable: ({ path, problem }) => `no recipient: the phone at ${path} ${phoneFaults[problem]}`,
  phone_dropped: ({ phone, problem = "no_country" }, isPage) =>
    isPage ? `${phone} was left out: it ${phoneFaults[problem]}` : `not E.164: ${phoneRule}`,
  conditions_unmet: ({ match, rules, more }) => {
    const clauses = rules.map(describeRule).join("; ") + (more > 0 ? `; and ${more} more` : "");
    return match === "all" ? `condition not met: ${clauses}` : `none of the conditions is met: ${clauses}`;
  },
  due_past: ({ path, saw }) => `too late: the message was due before the event came (${path} is “${saw}”)`,
  due_unreadable: ({ path, saw }) =>
    saw === null
      ? `no date: ${path} is missing`
      : `no date: ${path} is “${saw}”, not an ISO 8601 date at most 400 days ahead, such as 2026-11-20T15:00:00+01:00`,
  value_not_mapped: ({ slot }, isPage) => (isPage ? needsValue(slot) : `${slotLabel(slot)}: not in the variable map`),
  value_missing: ({ slot, from }, isPage) => `${slotLabel(slot, isPage)}: ${sourceName(from)} is missing`,
  value_blank: ({ slot, from }, isPage) => `${slotLabel(slot, isPage)}: ${sourceName(from)} is blank`,
  slot_not_mapped: ({ slot }, isPage) => (isPage ? `${needsValue(slot)}.` : `${slotLabel(slot)} is not in the variable map.`),
  slot_unresolved: ({ slots, more }, isPage) => listed(slots, more, isPage),
  template_not_approved: ({ status, of }) =>
    of === undefined ? statusProblems[status] : `The template ${titleOf(of)} is ${status}; only an approved one can be sent.`,
  template_not_sendable: ({ part, name }) => `The template cannot be sent: ${unsendableParts[part](name)}.`,
  template_changed: ({ changes, more, of }, isPage) => {
    const template = of === undefined ? "The template" : `The template ${titleOf(of)}`;
    const noun = isPage ? "variables" : "slots";
    const advice = of === undefined ? `Look at its ${noun} and save it again.` : `Save the binding's ${noun} again.`;
    return `${template} has changed since the binding was saved: ${listed(changes, more, isPage)}. ${advice}`;
  },
  too_long: ({ group, button, length, limit }, isPage) => {
    const part = button === null ? group : slotLabel({ group, name: String(button) }, isPage);
    return `${part}: ${length} characters with its values, the platform takes ${limit}`;
  },
  equal_binding: ({ bindingId }, isPage) =>
    `${isPage ? "Another rule" : `The binding ${bindingId}`} is for the same event, template and recipient, so each message is sent twice: delete one of the two.`,
  url_not_fitting: ({ slot, fixed }, isPage) =>
    `${slotLabel(slot, isPage)}: the value is a whole address and does not begin with the template's ${fixed}; give what follows that, or another template`,
  recipient_opted_out: () => "The recipient has opted out of such messages; see the list of people who did. Nothing was sent.",
  too_many_recipients: ({ limit }) => `An event addresses at most ${limit} messages; split the recipients over several events.`,
  shop_unreachable: ({ cause }) => `The shop could not be reached (${cause}). Check the site's URL, and that the shop is online.`,
  shop_timeout: ({ seconds }) => `The shop did not answer in full within ${seconds} seconds.`,
  shop_address_private: () => "The site's URL does not lead to an address of the internet.",
  shop_not_encrypted: () =>
    "The site's URL begins with http://, so the key would be sent for all to read. Enter the https:// address of the shop.",
  shop_redirects: () => "The shop leads to another address, where the key is not sent. Enter the address at the end as the site's URL.",
  shop_refuses_key: ({ status }) =>
    `The shop refuses the key (HTTP ${status}). Make one with the permission Read under WooCommerce, Settings, Advanced, REST API, and enter it again.`,
  shop_without_orders: () =>
    "The shop has no REST API at the site's URL (HTTP 404). Check the URL, and that permalinks in WordPress are not set to Plain.",
  shop_failed: ({ status }) => `The shop answered HTTP ${status} instead of its orders.`,
  shop_answer_too_large: ({ megabytes }) => `The shop's answer has more than ${megabytes} MB.`,
  shop_answer_unreadable: () =>
    "The shop answered something else than a list of orders. A plugin or a firewall in front of the shop may do so.",
  shop_has_too_many: ({ orders }) => `The shop has more changed orders than are fetched at once; only the last ${orders} were looked at.`,
  shop_too_slow: () => "The shop answers so slowly that not all of its orders were looked at.",
  shop_address_changed: () => "The site's URL has changed since the key was entered. Enter the key again.",
  shop_key_unreadable: () => "The stored key cannot be decrypted. Enter it again.",
  slots_differ: ({ group, before, now }, isPage) =>
    `${isPage ? groupNames[group] : group} had ${marks(before, isPage)} and has ${marks(now, isPage)} now`,
  slot_gone: ({ group, slot, count }, isPage) => {
    if (isPage) return `{{${slot}}} of ${groupNames[group]} is filled, but it has ${counted(count, "variable")} now`;
    return `${group}.${slot}: the template has ${counted(count, `${group} slot`)}`;
  },
  punctuation_behind_variable: () =>
    "body: only punctuation follows its last variable, which the platform may take for a variable at the end.",
  buttons_folded: () => 'buttons: of more than three, phones show two and "See all options".',
  buttons_not_on_desktop: () => "buttons: four or more, or quick replies beside others, are not shown on desktops.",
  empty: () => "must not be empty",
  one_line: () => "must be one line",
  one_line_without_variables: () => "must be one line without variables",
  no_emoji: () => "must not hold emoji",
  no_markup: () => "must not hold asterisks or other markup",
  no_variables: () => "must not hold variables",
  one_variable: () => "must hold at most one variable",
  too_many_characters: ({ limit }) => `must be at most ${limit} characters long`,
  too_many_emoji: ({ limit }) => `must hold at most ${limit} emoji`,
  too_many_line_breaks: () => "must not hold more than two line breaks in a row",
  too_many_variables: ({ variables, words }) => `has too many variables for its length: ${variables} to ${words} words`,
  variable_at_edge: () => "must not begin or end with a variable",
  variable_malformed: () => "has a malformed variable: write {{1}}, {{2}} and so on, without spaces",
  variables_with_gaps: () => "must number its variables from {{1}} without gaps",
  variables_adjacent: () => "must have text between two variables",
  name_characters: () => "must be made of lower-case letters a-z, digits and underscores",
  name_reserved: () => "is reserved for the platform's own samples",
  language_unknown: ({ instead }) => `is no language code of the platform${instead === null ? "" : `; write ${instead}`}`,
  category_unknown: ({ categories }) => `must be ${categories.join(" or ")}`,
  category_fixed_text: () => "AUTHENTICATION templates have a fixed text: make them in the platform's manager and sync",
  category_of_other_language: ({ category, template, language }) =>
    `must be ${category}, as ${template} is in ${language}: all languages of one name share a category`,
  too_many_buttons: ({ limit }) => `must be at most ${limit}`,
  too_many_url_buttons: ({ limit }) => `must have at most ${limit} URL buttons`,
  too_many_phone_buttons: () => "must have at most one phone button",
  replies_apart: () => "must have the quick replies together, before or behind all others",
  no_phone_number: ({ limit }) => `must be a phone number of at most ${limit} characters, as in +4930123456`,
  no_http_address: ({ limit }) => `must be an http or https address of at most ${limit} characters`,
  address_variable: () => "may hold one variable, {{1}}, at its very end",
  address_of_whatsapp: () => "must not lead to wa.me or whatsapp.com",
  file_missing: () => "must be given: a file's address, or an uploaded file as header.fileId",
  file_not_chosen: () => "must be chosen: upload a file",
  file_given_twice: () => "must not stand beside header.url: the file is sent by one of them",
  examples_missing: ({ count }) => `must hold one example for each variable: ${count}`,
  examples_unneeded: () => "must be empty: there is no variable",
};

function describeRule({ path, op, values, saw }: JudgedRule): string {
  return `${describeCondition(path, op, values)} (it is ${saw === null ? "missing" : `“${saw}”`})`;
}

/** `order.total is at least “100”`. */
export const describeCondition = (path: string, op: ConditionOp, values: readonly string[]): string =>
  [path, opWords[op], values.map((value) => `“${value}”`).join(", ")].join(" ").trim();

/** Behind a path and before the value. */
export const opWords: Record<ConditionOp, string> = {
  eq: "is",
  neq: "is not",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  contains: "contains",
  not_contains: "does not contain",
  starts_with: "starts with",
  in: "is one of",
  not_in: "is none of",
  exists: "has a value",
  missing: "is missing",
};

const groupNames: Record<SlotGroupKey, string> = { header: "the header", body: "the body", button_url: "the button's link" };

/** `body {{2}}`, or `body {{first_name}}` where slots have names; on a page a link's is `the button's link {{1}}`. */
export const slotLabel = ({ group, name }: SlotReference, isPage = false): string =>
  `${isPage && group === "button_url" ? groupNames[group] : group} {{${name}}}`;

const needsValue = ({ group, name }: SlotReference): string => `${groupNames[group]} needs a value for {{${name}}}`;

const sourceName = (from: string | null): string => from ?? "the static value";

/** Why a slot is empty, where the slot itself stands beside it. */
export function describeEmptySlot(reason: EmptySlot): string {
  if (reason.code === "value_not_mapped") return "not filled yet";
  return `${sourceName(reason.from)} is ${reason.code === "value_blank" ? "blank" : "missing"}`;
}

const titleOf = ({ template, language }: TemplateReference): string => `${template} (${language})`;

function listed(clauses: readonly (EmptySlot | SlotChange)[], more: number, isPage: boolean): string {
  const texts = clauses.map((clause) => (sentences[clause.code] as (clause: Reason, isPage: boolean) => string)(clause, isPage));
  return texts.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

const statusProblems: Record<Exclude<TemplateStatus, "approved">, string> = {
  draft: "The template is a draft: submit it for approval.",
  pending: "The template waits for the platform's approval.",
  rejected: "The template was rejected: change it and submit it again.",
  paused: "The platform has paused the template.",
  disabled: "The platform has disabled the template: use another one.",
};

const unsendableParts: Record<Details["template_not_sendable"]["part"], (name: string) => string> = {
  header_type: (type) => `its header is of type ${type}, which cannot be filled here; use a template without it`,
  header_without_file: (format) => `its ${format} header has no file to send; give the template one, by address or upload`,
  header_file_not_uploaded: (file) => `the platform does not have its header's file ${file} yet; sync the templates`,
  button: (text) => `its button "${text}" needs a value that cannot be filled here; use a template without it`,
};

function marks(names: readonly string[], isPage: boolean): string {
  if (names.length === 0) return isPage ? "no variable" : "no slot";
  return names.map((name) => `{{${name}}}`).join(", ");
}

const counted = (count: number, noun: string): string => `${count === 0 ? "no" : count} ${noun}${count > 1 ? "s" : ""}`;
