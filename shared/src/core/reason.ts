import type { ConditionOp, JudgedRule, UnmetConditions } from "./conditions.ts";
import type { PhoneProblem } from "./phone.ts";
import words from "./reason-words.json" with { type: "json" };
import type { DueProblem } from "./schedule/due.ts";
import type { TemplateStatus } from "./template/definition.ts";
import { sentenceCase } from "./text.ts";
import { english, type Values, type Write } from "./wording.ts";

/** A slot of a template: the group of the variable map that fills it, and the template's name for it (`1`, `first_name`). */
export interface SlotReference {
  group: SlotGroupKey;
  name: string;
}

/** The groups of a variable map. */
export type SlotGroupKey = "header" | "body" | "button_url";

/** A template by name and language. */
export type TemplateReference = Record<"template" | "language", string>;

/** The details of the reasons that have more than their code. */
interface Detailed {
  // Recipients of a binding
  no_phone_at_path: { path: string };
  phones_not_e164: { count: number };
  phone_unreadable: { path: string; problem: PhoneProblem };
  phone_dropped: { phone: string; problem?: PhoneProblem };
  country_excluded: { count: number; countries: readonly string[] };
  // Reasons why a binding does not fire
  conditions_unmet: UnmetConditions;
  due_past: Omit<DueProblem, "code">;
  due_unreadable: Omit<DueProblem, "code">;
  // Reasons why a slot is empty. `from`: the payload's path or the expression helper; null for a static value.
  value_not_mapped: { slot: SlotReference };
  value_missing: { slot: SlotReference; from: string | null };
  value_blank: { slot: SlotReference; from: string | null };
  // Bindings and messages. `of` is named if the sentence does not stand on the binding's page.
  slot_not_mapped: { slot: SlotReference };
  slot_unresolved: { slots: EmptySlot[]; more: number };
  template_not_approved: { status: Exclude<TemplateStatus, "approved">; of?: TemplateReference };
  template_not_sendable: {
    part: "header_type" | "header_without_file" | "header_file_not_uploaded" | "button" | "component" | "link";
    name: string;
  };
  template_changed: { changes: SlotChange[]; more: number; of?: TemplateReference };
  too_long: { group: SlotGroupKey; button: number | null; length: number; limit: number };
  equal_binding: { bindingId: string };
  // What came of handing a message over. `cause`: one of the table's, or words of the network.
  in_doubt: { cause: string };
  deadline: { cause: string };
  unexpected_answer: { status: string; words: string };
  url_not_fitting: { slot: SlotReference; fixed: string; leaves?: true };
  too_many_recipients: { limit: number };
  // Reasons why a waiting message was cancelled. `event` is the one that arrived.
  restarted: { event: string };
  cancelled_by_event: { event: string };
  // Differences between a template's slots and those that a variable map was written for
  slots_differ: { group: SlotGroupKey; before: readonly string[]; now: readonly string[] };
  slot_gone: { group: SlotGroupKey; slot: number; count: number };
  /** The words that it stood by, and stands by now. */
  slot_moved: { slot: SlotReference; before: string; now: string };
  // Faults of a template, each at a field of its input
  too_many_characters: { limit: number };
  too_many_emoji: { limit: number };
  too_many_variables: { variables: number; words: number };
  language_unknown: { instead: string | null };
  category_unknown: { categories: readonly string[] };
  ttl_out_of_range: { least: number; most: number; endless: boolean };
  category_of_other_language: { category: string; template: string; language: string };
  too_many_buttons: { limit: number };
  too_many_url_buttons: { limit: number };
  no_phone_number: { limit: number };
  no_http_address: { limit: number };
  examples_missing: { count: number };
  few_words: { variables: number; words: number };
  example_long: { limit: number };
  address_shortened: { host: string };
  words_promotional: { words: readonly string[] };
  language_unlike: { seems: string };
  // Reasons why a shop's orders could not be fetched. WooCommerce is the only shop whose orders are, so the advice names its pages.
  shop_unreachable: { cause: string };
  shop_timeout: { seconds: number };
  shop_refuses_key: { status: number };
  shop_failed: { status: number };
  shop_answer_too_large: { megabytes: number };
  shop_has_too_many: { orders: number };
}

/** The sentences of reasons that tell nothing but their details. */
const plain = words.sentences;

/** The details of each reason beside its code. */
type Details = Detailed & Record<Exclude<keyof typeof plain, keyof Detailed>, object>;

/** The reason why something cannot be, or was not, sent: data, of which `describeReason` makes the sentence. */
export type Reason = { [Code in keyof Details]: { code: Code } & Details[Code] }[keyof Details];
type ReasonOf<Code extends keyof Details> = Extract<Reason, { code: Code }>;

/** The reason why a slot has no value. */
export type EmptySlot = ReasonOf<"value_not_mapped" | "value_missing" | "value_blank">;
export type SlotChange = ReasonOf<"slots_differ" | "slot_gone" | "slot_moved">;
/** The reason why a planned message is not handed to the platform; the code is the message's error code. */
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

/** The reason why an event cancelled a waiting message. */
export type Stopped = ReasonOf<"restarted" | "cancelled_by_event">;

/** The reasons that the log keeps as sentences, also of a platform that gave no answer. */
export type StoredReason = PlanFailure | Stopped | ReasonOf<"in_doubt" | "deadline" | "unexpected_answer">;

/** The reason why a message has no recipient, with the field that was looked at. */
export type Unreached = ReasonOf<"no_phone_at_path" | "phone_unreadable" | "no_active_recipient" | "no_test_phone">;

/** The reason why not all of a shop's orders could be fetched. */
export type ReconcileProblem = Extract<Reason, { code: `shop_${string}` }>;

/**
 * A reason as a sentence, or as a clause where others may follow it. Answers and stored texts are English, and name slots as a variable map does; a page gives
 * its `t`, and gets plainer words in the reader's language.
 */
export const describeReason = (reason: Reason, t?: Write): string =>
  t === undefined ? writerOf(reason)(reason, english, false) : sentenceCase(describeClause(reason, t));

/** A reason as a clause for a page, behind the name of its subject. */
export const describeClause = (reason: Reason, t: Write): string => writerOf(reason)(reason, t, true);

const writerOf =
  ({ code }: Reason) =>
  (reason: Reason, t: Write, isPage: boolean): string =>
    Object.hasOwn(plain, code)
      ? fill(t, plain[code as keyof typeof plain], valuesOf(reason))
      : (sentences[code as keyof typeof sentences] as (reason: Reason, t: Write, isPage: boolean) => string)(reason, t, isPage);

/** Writes a text of a table. */
const fill = (write: Write, text: string, values?: Values): string => write(text, values);

/** Marks and addresses that sentences show as they are. */
const shown = { first: "{{1}}", second: "{{2}}", example: "https://shop.example/{{1}}" };

const valuesOf = (reason: Reason): Values =>
  Object.fromEntries(
    Object.entries({ ...reason, ...shown }).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value as string)]),
  );

/** The fault of a phone, as words behind `it`. */
export const phoneFault = (problem: PhoneProblem, t: Write): string => fill(t, words.phones[problem]);

const sentences: { [Code in Exclude<keyof Details, keyof typeof plain>]: (details: Details[Code], t: Write, isPage: boolean) => string } = {
  phones_not_e164: ({ count }, t, isPage) => {
    if (isPage) return t("{count, plural, one {phone number has} other {phone numbers have}} no country code (+49…)", { count });
    return count === 1 ? "the phone is not E.164" : "the phones are not E.164";
  },
  phone_unreadable: ({ path, problem }, t) => t("no recipient: the phone at {path} {fault}", { path, fault: phoneFault(problem, t) }),
  phone_dropped: ({ phone, problem = "no_country" }, t, isPage) =>
    isPage
      ? t("{phone} was left out: it {fault}", { phone, fault: phoneFault(problem, t) })
      : "not E.164: a plus sign, the country code and the number, digits only",
  conditions_unmet: ({ match, rules, more }, t) => {
    const clauses = clausesOf(
      rules.map((rule) => describeRule(rule, t)),
      more,
      t,
    );
    return match === "all" ? t("condition not met: {clauses}", { clauses }) : t("none of the conditions is met: {clauses}", { clauses });
  },
  due_past: ({ path, saw }, t) =>
    t("too late: the message was due before the event arrived ({path} is “{saw}”)", { path, saw: String(saw) }),
  due_unreadable: ({ path, saw }, t) =>
    saw === null
      ? t("no date: {path} is missing", { path })
      : t("no date: {path} is “{saw}”, not an ISO 8601 date at most 400 days ahead, such as 2026-11-20T15:00:00+01:00", { path, saw }),
  value_not_mapped: ({ slot }, t, isPage) => (isPage ? needsValue(slot, t) : `${slotLabel(slot)}: not in the variable map`),
  value_missing: (empty, t, isPage) => emptyClause({ code: "value_missing", ...empty }, t, isPage),
  value_blank: (empty, t, isPage) => emptyClause({ code: "value_blank", ...empty }, t, isPage),
  slot_not_mapped: ({ slot }, t, isPage) => (isPage ? `${needsValue(slot, t)}.` : `${slotLabel(slot)} is not in the variable map.`),
  slot_unresolved: ({ slots, more }, t, isPage) => listed(slots, more, t, isPage),
  template_not_approved: ({ status, of }, t) =>
    of === undefined ? fill(t, words.statuses[status]) : fill(t, words.statusesOf[status], { template: `${of.template} (${of.language})` }),
  template_not_sendable: ({ part, name }, t) =>
    fill(t, words.parts[part], { type: name, format: name, file: name, text: name, component: componentName(name, t) }),
  template_changed: ({ changes: all, more, of }, t, isPage) => {
    const changes = listed(all, more, t, isPage);
    const template = of && `${of.template} (${of.language})`;
    if (!isPage) {
      const advice = template === undefined ? "Check its slots and save it again." : "Save the binding's slots again.";
      return `The template${template === undefined ? "" : ` ${template}`} has changed since the binding was saved: ${changes}. ${advice}`;
    }
    return template === undefined
      ? t("The template has changed since the binding was saved: {changes}. Check its variables and save it again.", { changes })
      : t("The template {template} has changed since the binding was saved: {changes}. Save the binding's variables again.", {
          template,
          changes,
        });
  },
  too_long: ({ group, button, length, limit }, t, isPage) => {
    const part =
      button !== null
        ? slotLabel({ group, name: String(button) }, isPage ? t : undefined)
        : isPage
          ? fill(t, words.groups[group].name)
          : group;
    return t("{part}: {length} characters with its values, WhatsApp allows {limit}", { part, length, limit });
  },
  equal_binding: ({ bindingId }, t, isPage) =>
    isPage
      ? t("Another binding has the same event, template and recipient, so each message is sent twice: delete one of them.")
      : `The binding ${bindingId} has the same event, template and recipient, so each message is sent twice: delete one of them.`,
  url_not_fitting: ({ slot: { group, name }, fixed, leaves }, t, isPage) => {
    const values = { slot: slotLabel({ group, name }, isPage ? t : undefined), fixed };
    return leaves === true
      ? t("{slot}: with this value the link would not stay below the template's {fixed}: send only what belongs after it", values)
      : t(
          "{slot}: the value is a full URL that does not begin with the template's {fixed}: send only the part after it, or use another template",
          values,
        );
  },
  // The log keeps the English of before.
  cancelled_by_event: ({ event }, t, isPage) =>
    isPage
      ? t("The event {event} arrived, which cancels this binding's waiting messages.", { event })
      : `${event} arrived, which cancels this binding's waiting messages.`,
  slots_differ: ({ group, before, now }, t, isPage) =>
    isPage
      ? fill(t, words.groups[group].differ, { before: marks(before, t), now: marks(now, t) })
      : `${group} had ${marks(before)} and now has ${marks(now)}`,
  slot_gone: ({ group, slot, count }, t, isPage) =>
    isPage
      ? fill(t, words.groups[group].gone, { variable: `{{${slot}}}`, count })
      : `${group}.${slot}: the template has ${count === 0 ? "no" : count} ${group} slot${count > 1 ? "s" : ""}`,
  in_doubt: ({ cause }, t, isPage) =>
    t("{whoever} may have taken the message: {cause}.", { whoever: isPage ? "WhatsApp" : "The platform", cause: causeOf(cause, t) }),
  deadline: ({ cause }, t, isPage) =>
    t("The message could not be handed to {whom} in time ({cause})", {
      whom: isPage ? "WhatsApp" : "the platform",
      cause: causeOf(cause, t),
    }),
  unexpected_answer: ({ status, words: said }, t, isPage) => {
    const values = { whoever: isPage ? "WhatsApp" : "The platform", status, words: said };
    return said === ""
      ? t("{whoever} answered HTTP {status} without a message id.", values)
      : t("{whoever} answered HTTP {status} without a message id. It says: {words}", values);
  },
  slot_moved: ({ slot, before, now }, t, isPage) =>
    t("{slot} stood by “{before}” and now stands by “{now}”", { slot: slotLabel(slot, isPage ? t : undefined), before, now }),
  language_unknown: ({ instead }, t) =>
    instead === null ? t("is not a WhatsApp language code") : t("is not a WhatsApp language code; use {instead}", { instead }),
  category_unknown: ({ categories }, t) =>
    t("must be {categories}", { categories: categories.reduce((before, last) => t("{before} or {last}", { before, last })) }),
  ttl_out_of_range: ({ least, most, endless }, t) =>
    endless
      ? t("must be {least, number} to {most, number} seconds for this category, or -1 for 30 days", { least, most })
      : t("must be {least, number} to {most, number} seconds for this category", { least, most }),
};

/** What may happen instead of an answer, and its words. */
const causes = [
  [/^the call was stopped$/u, words.causes.stopped],
  [/^no answer within (?<seconds>[\d.]+) s$/u, words.causes.timeout],
  [/^no connection in time$/u, words.causes.unconnected],
  [/^HTTP (?<status>\d+) with an answer of more than (?<bytes>\d+) bytes$/u, words.causes.too_large],
  [/^HTTP (?<status>\d+) without an answer of its own$/u, words.causes.edge],
] as const;

function causeOf(cause: string, t: Write): string {
  for (const [form, text] of causes) {
    const found = form.exec(cause);
    if (found !== null) return fill(t, text, { ...found.groups });
  }
  return cause;
}

function describeRule({ path, op, values, saw }: JudgedRule, t: Write): string {
  const condition = describeCondition({ path, op, values }, t);
  return saw === null ? t("{condition} (it is missing)", { condition }) : t("{condition} (it is “{saw}”)", { condition, saw });
}

/** `order.total is at least “100”`. */
export function describeCondition({ path, op, values }: Pick<JudgedRule, "path" | "op" | "values">, t: Write): string {
  const value = values.map((each) => t("“{value}”", { value: each })).join(t(", "));
  return fill(t, words.conditions[op], { path, value }).trim();
}

/** The op, as a choice between a path and a value. */
export const opLabel = (op: ConditionOp, t: Write): string => fill(t, words.ops[op]);

/** `body {{2}}`, or `body {{first_name}}` where slots have names; on a page the label of a link's slot is `the button's link {{1}}`. */
export const slotLabel = ({ group, name }: SlotReference, t?: Write): string =>
  t === undefined ? `${group} {{${name}}}` : fill(t, words.groups[group].label, { variable: `{{${name}}}` });

const needsValue = ({ group, name }: SlotReference, t: Write): string => fill(t, words.groups[group].needs, { variable: `{{${name}}}` });

const emptyClause = (empty: EmptySlot, t: Write, isPage: boolean): string =>
  `${slotLabel(empty.slot, isPage ? t : undefined)}: ${describeEmptySlot(empty, t)}`;

/** The reason why a slot is empty, for a text beside the slot itself. */
export function describeEmptySlot(reason: EmptySlot, t: Write = english): string {
  if (reason.code === "value_not_mapped") return t("not filled yet");
  const { code, from } = reason;
  if (code === "value_blank") return from === null ? t("the static value is blank") : t("{from} is blank", { from });
  return from === null ? t("the static value is missing") : t("{from} is missing", { from });
}

function listed(clauses: readonly (EmptySlot | SlotChange)[], more: number, t: Write, isPage: boolean): string {
  const texts = clauses.map((clause) => writerOf(clause)(clause, t, isPage));
  return clausesOf(texts, more, t);
}

function clausesOf(texts: readonly string[], more: number, t: Write): string {
  const clauses = texts.join("; ");
  return more > 0 ? t("{clauses}; and {more} more", { clauses, more }) : clauses;
}

/** The platform's parts of templates that cannot be sent from here. */
const componentNames: Readonly<Record<string, string>> = words.components;

export const componentKinds = Object.keys(componentNames);

function componentName(kind: string, t: Write): string {
  const known = componentNames[kind];
  return known === undefined ? t("a part of type {type}", { type: kind }) : fill(t, known);
}

/** Slots by their marks; a page gives its `t`, and calls them variables. */
function marks(names: readonly string[], t?: Write): string {
  if (names.length === 0) return t === undefined ? "no slot" : t("no variable");
  return names.map((name) => `{{${name}}}`).join(", ");
}
