import type { ConditionOp, JudgedRule, UnmetConditions } from "./conditions.ts";
import type { PhoneProblem } from "./phone.ts";
import type { DueProblem } from "./schedule/due.ts";
import { type ShopProblemDetails, shopProblemSentences } from "./sources/shop-problem.ts";
import type { TemplateStatus } from "./template/definition.ts";
import { type RuleDetails, ruleSentences } from "./template/rules.ts";
import { sentenceCase } from "./text.ts";
import { english, type Write } from "./wording.ts";

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

/** The details of each reason beside its code. */
interface Details extends RuleDetails, ShopProblemDetails {
  // Recipients of a binding
  no_phone_at_path: { path: string };
  no_active_recipient: object;
  no_test_phone: object;
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
  url_not_fitting: { slot: SlotReference; fixed: string; leaves?: true };
  too_many_recipients: { limit: number };
  recipient_opted_out: object;
  // Reasons why a waiting message was cancelled. `event` is the one that arrived.
  restarted: { event: string };
  cancelled_by_event: { event: string };
  // Differences between a template's slots and those that a variable map was written for
  slots_differ: { group: SlotGroupKey; before: readonly string[]; now: readonly string[] };
  slot_gone: { group: SlotGroupKey; slot: number; count: number };
  /** The words that it stood by, and stands by now. */
  slot_moved: { slot: SlotReference; before: string; now: string };
}

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

const writerOf = ({ code }: Reason) => sentences[code] as (reason: Reason, t: Write, isPage: boolean) => string;

/** The faults of a phone, as words behind `it`. */
export const phoneFaults: Readonly<Record<PhoneProblem, (t: Write) => string>> = {
  no_country: (t) => t("has no country code (+49…)"),
  too_short: (t) => t("has too few digits for its country"),
  too_long: (t) => t("has too many digits for its country"),
  not_a_number: (t) => t("is not a phone number"),
  not_valid: (t) => t("is not an existing number, or is not written as + and digits"),
};

const sentences: { [Code in keyof Details]: (details: Details[Code], t: Write, isPage: boolean) => string } = {
  no_phone_at_path: ({ path }, t) => t("no recipient: {path} is missing or is not text", { path }),
  no_active_recipient: (_, t) => t("no recipient: the site's list has no active phone"),
  no_test_phone: (_, t) => t("no recipient: the site has no test phone"),
  phones_not_e164: ({ count }, t, isPage) => {
    if (isPage) return t("{count, plural, one {phone number has} other {phone numbers have}} no country code (+49…)", { count });
    return count === 1 ? "the phone is not E.164" : "the phones are not E.164";
  },
  phone_unreadable: ({ path, problem }, t) => t("no recipient: the phone at {path} {fault}", { path, fault: phoneFaults[problem](t) }),
  phone_dropped: ({ phone, problem = "no_country" }, t, isPage) =>
    isPage
      ? t("{phone} was left out: it {fault}", { phone, fault: phoneFaults[problem](t) })
      : "not E.164: a plus sign, the country code and the number, digits only",
  country_excluded: ({ count, countries }, t) =>
    t("the conditions leave {count, plural, one {# recipient} other {# recipients}} out by country: {countries}", {
      count,
      countries: countries.join(", "),
    }),
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
    of === undefined ? statusProblems[status](t) : statusProblemsOf[status](t, `${of.template} (${of.language})`),
  template_not_sendable: ({ part, name }, t) => unsendableParts[part](name, t),
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
      button !== null ? slotLabel({ group, name: String(button) }, isPage ? t : undefined) : isPage ? groupWords[group].name(t) : group;
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
  recipient_opted_out: (_, t) => t("The recipient has opted out of these messages, so nothing was sent. See the opt-outs under Privacy."),
  too_many_recipients: ({ limit }, t) =>
    t("One event sends at most {limit} messages: split the recipients over several events.", { limit }),
  restarted: ({ event }, t) => t("A newer {event} replaced it.", { event }),
  // The log keeps the English of before.
  cancelled_by_event: ({ event }, t, isPage) =>
    isPage
      ? t("The event {event} arrived, which cancels this binding's waiting messages.", { event })
      : `${event} arrived, which cancels this binding's waiting messages.`,
  slots_differ: ({ group, before, now }, t, isPage) =>
    isPage
      ? groupWords[group].differ(t, { before: marks(before, t), now: marks(now, t) })
      : `${group} had ${marks(before)} and now has ${marks(now)}`,
  slot_gone: ({ group, slot, count }, t, isPage) =>
    isPage
      ? groupWords[group].gone(t, { variable: `{{${slot}}}`, count })
      : `${group}.${slot}: the template has ${count === 0 ? "no" : count} ${group} slot${count > 1 ? "s" : ""}`,
  slot_moved: ({ slot, before, now }, t, isPage) =>
    t("{slot} stood by “{before}” and now stands by “{now}”", { slot: slotLabel(slot, isPage ? t : undefined), before, now }),
  ...ruleSentences,
  ...shopProblemSentences,
};

function describeRule({ path, op, values, saw }: JudgedRule, t: Write): string {
  const condition = describeCondition({ path, op, values }, t);
  return saw === null ? t("{condition} (it is missing)", { condition }) : t("{condition} (it is “{saw}”)", { condition, saw });
}

/** `order.total is at least “100”`. */
export function describeCondition({ path, op, values }: Pick<JudgedRule, "path" | "op" | "values">, t: Write): string {
  const value = values.map((each) => t("“{value}”", { value: each })).join(t(", "));
  return conditions[op](t, { path, value }).trim();
}

type ConditionWriter = (t: Write, values: { path: string; value: string }) => string;

const conditions: Record<ConditionOp, ConditionWriter> = {
  eq: (t, values) => t("{path} is {value}", values),
  neq: (t, values) => t("{path} is not {value}", values),
  gt: (t, values) => t("{path} is more than {value}", values),
  gte: (t, values) => t("{path} is at least {value}", values),
  lt: (t, values) => t("{path} is less than {value}", values),
  lte: (t, values) => t("{path} is at most {value}", values),
  contains: (t, values) => t("{path} contains {value}", values),
  not_contains: (t, values) => t("{path} does not contain {value}", values),
  starts_with: (t, values) => t("{path} starts with {value}", values),
  in: (t, values) => t("{path} is one of {value}", values),
  not_in: (t, values) => t("{path} is not one of {value}", values),
  exists: (t, { path }) => t("{path} has a value", { path }),
  missing: (t, { path }) => t("{path} is missing", { path }),
};

/** The ops, as choices between a path and a value. */
export const opLabels: Record<ConditionOp, (t: Write) => string> = {
  eq: (t) => t("is"),
  neq: (t) => t("is not"),
  gt: (t) => t("is more than"),
  gte: (t) => t("is at least"),
  lt: (t) => t("is less than"),
  lte: (t) => t("is at most"),
  contains: (t) => t("contains"),
  not_contains: (t) => t("does not contain"),
  starts_with: (t) => t("starts with"),
  in: (t) => t("is one of"),
  not_in: (t) => t("is not one of"),
  exists: (t) => t("has a value"),
  missing: (t) => t("is missing"),
};

type Gap = { variable: string };

/** The words of a page for each part of a template. */
const groupWords: Record<
  SlotGroupKey,
  {
    name: (t: Write) => string;
    label: (t: Write, gap: Gap) => string;
    needs: (t: Write, gap: Gap) => string;
    differ: (t: Write, marks: { before: string; now: string }) => string;
    gone: (t: Write, gap: Gap & { count: number }) => string;
  }
> = {
  header: {
    name: (t) => t("header"),
    label: (t, gap) => t("header {variable}", gap),
    needs: (t, gap) => t("the header needs a value for {variable}", gap),
    differ: (t, both) => t("the header had {before} and now has {now}", both),
    gone: (t, values) =>
      t(
        "{variable} of the header is filled, but it now has {count, plural, =0 {no variable} one {# variable} other {# variables}}",
        values,
      ),
  },
  body: {
    name: (t) => t("body"),
    label: (t, gap) => t("body {variable}", gap),
    needs: (t, gap) => t("the body needs a value for {variable}", gap),
    differ: (t, both) => t("the body had {before} and now has {now}", both),
    gone: (t, values) =>
      t("{variable} of the body is filled, but it now has {count, plural, =0 {no variable} one {# variable} other {# variables}}", values),
  },
  button_url: {
    name: (t) => t("the button's link"),
    label: (t, gap) => t("the button's link {variable}", gap),
    needs: (t, gap) => t("the button's link needs a value for {variable}", gap),
    differ: (t, both) => t("the button's link had {before} and now has {now}", both),
    gone: (t, values) =>
      t(
        "{variable} of the button's link is filled, but it now has {count, plural, =0 {no variable} one {# variable} other {# variables}}",
        values,
      ),
  },
};

/** `body {{2}}`, or `body {{first_name}}` where slots have names; on a page the label of a link's slot is `the button's link {{1}}`. */
export const slotLabel = ({ group, name }: SlotReference, t?: Write): string =>
  t === undefined ? `${group} {{${name}}}` : groupWords[group].label(t, { variable: `{{${name}}}` });

const needsValue = ({ group, name }: SlotReference, t: Write): string => groupWords[group].needs(t, { variable: `{{${name}}}` });

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

const statusProblems: Record<Exclude<TemplateStatus, "approved">, (t: Write) => string> = {
  draft: (t) => t("The template is a draft: submit it for approval."),
  pending: (t) => t("The template is waiting for WhatsApp's approval."),
  rejected: (t) => t("The template was rejected: change it and submit it again."),
  paused: (t) => t("WhatsApp has paused the template."),
  disabled: (t) => t("WhatsApp has disabled the template: use another one."),
};

const statusProblemsOf: Record<Exclude<TemplateStatus, "approved">, (t: Write, template: string) => string> = {
  draft: (t, template) => t("The template {template} is draft; only an approved one can be sent.", { template }),
  pending: (t, template) => t("The template {template} is pending; only an approved one can be sent.", { template }),
  rejected: (t, template) => t("The template {template} is rejected; only an approved one can be sent.", { template }),
  paused: (t, template) => t("The template {template} is paused; only an approved one can be sent.", { template }),
  disabled: (t, template) => t("The template {template} is disabled; only an approved one can be sent.", { template }),
};

/** The platform's parts of templates that cannot be sent from here. */
const componentNames: Readonly<Record<string, (t: Write) => string>> = {
  CAROUSEL: (t) => t("a carousel of cards (CAROUSEL)"),
  LIMITED_TIME_OFFER: (t) => t("an offer that ends (LIMITED_TIME_OFFER)"),
  CALL_PERMISSION_REQUEST: (t) => t("a request for permission to call (CALL_PERMISSION_REQUEST)"),
};

export const componentKinds = Object.keys(componentNames);

const unsendableParts: Record<Details["template_not_sendable"]["part"], (name: string, t: Write) => string> = {
  header_type: (type, t) =>
    t("The template cannot be sent: its header is of type {type}, which cannot be filled here; use a template without it.", { type }),
  header_without_file: (format, t) =>
    t("The template cannot be sent: its {format} header has no file to send: add one to the template, by address or upload.", { format }),
  header_file_not_uploaded: (file, t) =>
    t("The template cannot be sent: WhatsApp does not have its header's file {file} yet: sync the templates.", { file }),
  button: (text, t) =>
    t('The template cannot be sent: its button "{text}" needs a value that cannot be filled here; use a template without it.', { text }),
  component: (kind, t) =>
    t("The template cannot be sent: it has {component}, which cannot be filled here; use a template without it.", {
      component: componentNames[kind]?.(t) ?? t("a part of type {type}", { type: kind }),
    }),
  link: (text, t) =>
    t(
      'The template cannot be sent: the variable of its button "{text}" could change the server that the link leads to; use a template whose variable comes behind the server\'s name and a /.',
      { text },
    ),
};

/** Slots by their marks; a page gives its `t`, and calls them variables. */
function marks(names: readonly string[], t?: Write): string {
  if (names.length === 0) return t === undefined ? "no slot" : t("no variable");
  return names.map((name) => `{{${name}}}`).join(", ");
}
