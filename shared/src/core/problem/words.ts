import { describeEmptySlot, describeReason, opLabels, phoneFaults, slotLabel, type Unreached } from "../reason.ts";
import type { SourceType } from "../site.ts";
import { describeShopFault } from "../sources/shop-problem.ts";
import type { TemplateStatus } from "../template/definition.ts";
import { readUnreachedKey } from "../unreached.ts";
import { english, type Write } from "../wording.ts";
import type { Explained, ProblemDetails, ProblemKind, TellableProblem } from "./problem.ts";

export interface ProblemWords {
  /** The fault, as a sentence without its full stop. */
  title: string;
  /** How many messages, events or requests are part of it; null where nothing is counted. */
  counted: string | null;
  /** The advice on what to do. */
  advice: string;
}

type Part<K extends ProblemKind> = Omit<TellableProblem, "kind" | "detail"> & { detail: ProblemDetails[K] };
/** `counts`: the number with its unit. */
type Describe<K extends ProblemKind> = (problem: Part<K>, t: Write) => Omit<ProblemWords, "counted">;

/** The sentences of a problem: in English for answers and messages, or by a page's `t` in the reader's language. */
export function describeProblem(problem: TellableProblem, t: Write = english): ProblemWords {
  const write = words[problem.kind] as Describe<ProblemKind>;
  return { ...write(problem, t), counted: countOf(problem, t) };
}

/** The problem with its fixed texts, such as the meaning of a code, written by `meaning` in the reader's language. */
export function withMeanings(problem: TellableProblem, meaning: (text: string) => string): TellableProblem {
  const inWords = ({ text, action }: Explained): Explained => ({ text: meaning(text), action: meaning(action) });
  switch (problem.kind) {
    case "messages_failed": {
      const { title, explanation } = problem.detail;
      return { ...problem, detail: { ...problem.detail, title: meaning(title), explanation: inWords(explanation) } };
    }
    case "requests_refused":
      return { ...problem, detail: { ...problem.detail, explanation: inWords(problem.detail.explanation) } };
    case "binding_cannot_send": {
      const { failed } = problem.detail;
      return { ...problem, detail: { ...problem.detail, failed: failed && inWords(failed) } };
    }
    default:
      return problem;
  }
}

const words: { [K in ProblemKind]: Describe<K> } = {
  platform_missing: (_, t) => ({
    title: t("WhatsApp is not connected, so nothing is sent"),
    advice: t("Connect WhatsApp under Settings, Platform."),
  }),
  platform_stopped: ({ detail: { code, reason, until } }, t) => ({
    title: t("WhatsApp accepts no messages from this account ({error})", { error: reason === "" ? code : `${code}: ${reason}` }),
    advice: [
      t("Messages wait or fail until this is fixed. Check the account in Meta Business Manager, then test the connection."),
      ...endsAt(until, t),
    ].join(" "),
  }),
  platform_failing: ({ detail: { unanswered, total } }, t) => ({
    title: t("WhatsApp fails: {unanswered} of the last {total} messages got no sensible answer", { unanswered, total }),
    advice: t("Nothing is wrong on this side. Messages in the queue are tried again; resend those that failed once WhatsApp works."),
  }),
  platform_notice: ({ detail: { words: told, until } }, t) => ({
    title: t("WhatsApp says: {words}", { words: told }),
    advice: [t("See the account in WhatsApp Manager."), ...endsAt(until, t)].join(" "),
  }),
  template_category: ({ detail: { name, language, former, category, at, done } }, t) => {
    const values = { template: `${name} (${language})`, former, category };
    return {
      title: done
        ? t("WhatsApp has made the template {template} {category} instead of {former}", values)
        : t("WhatsApp is about to make the template {template} {category} instead of {former}", values),
      advice: [
        ...(at === null ? [] : [done ? t("It was changed at {at}.", { at }) : t("It changes at {at}.", { at })]),
        t("Its price and who may get it follow the category. A decision can be reviewed in WhatsApp Manager."),
      ].join(" "),
    };
  },
  secret_unreadable: ({ detail: { of, name } }, t) => ({
    title: unreadable[of](t, name ?? ""),
    advice: t("Events are refused with 503 meanwhile. Start the servers with the right MASTER_KEY, or enter the secret again."),
  }),
  site_disabled: ({ detail: { site } }, t) => ({
    title: t("The site {site} refuses its events", { site }),
    advice: t("Switch “Accept events” on again on the site's page."),
  }),
  requests_refused: ({ detail: { name, explanation } }, t) => ({
    title: t("Requests to the site {name} are refused: {reason}", { name, reason: explanation.text.replace(/\.$/, "") }),
    advice: explanation.action,
  }),
  failure_rate: ({ detail: { percent, usualPercent, failed, total, more = false } }, t) => ({
    title:
      usualPercent === null
        ? t("{failed, number}{more} of the last hour's {total, number}{more} messages failed", { failed, total, more: more ? "+" : "" })
        : t("{percent} % of the last hour's messages failed ({failed, number}{more} of {total, number}{more}); usually {usualPercent} %", {
            percent,
            failed,
            total,
            usualPercent,
            more: more ? "+" : "",
          }),
    advice: t("The log shows why each message failed."),
  }),
  template_refused: ({ detail: { name, language, status, reason, deletedOn } }, t) => ({
    title: statuses[status](t, `${name} (${language})`) + (reason === null || reason === "" ? "" : `: ${reason}`),
    advice:
      deletedOn === undefined
        ? statusAdvice[status](t)
        : t("WhatsApp archived it because it was not used for a year, and deletes it on {deletedOn}. Unarchive it in WhatsApp Manager.", {
            deletedOn,
          }),
  }),
  binding_cannot_send: ({ detail: { site, event, template, problems, empty, failed } }, t) => ({
    title: t("{event} of {site} cannot always send {template}", { event, site, template }),
    advice: [
      ...problems.map((problem) => describeReason(problem, t === english ? undefined : t)),
      ...empty.map((slot) =>
        t("{slot} is empty: {cause}.", {
          slot: slotLabel(slot.slot, t === english ? undefined : t),
          cause: describeEmptySlot(slot, t),
        }),
      ),
      ...(empty.length > 0 ? [t("Give the variable a value or a fallback in the binding, or send the value in the event.")] : []),
      ...(failed === null ? [] : [failed.text, failed.action]),
    ].join(" "),
  }),
  messages_failed: ({ detail: { site, title, explanation }, subject }, t) => ({
    title: t("Messages of {site} fail: {title} · {code}", { site, title, code: subject }),
    advice: `${explanation.text} ${explanation.action}`,
  }),
  nobody_reached: ({ detail: { site }, subject }, t) => {
    const reason = readUnreachedKey(subject) ?? { code: "no_active_recipient" };
    return {
      title: t("Events of {site} reach nobody: {reason}", { site, reason: unreached(reason, t) }),
      advice: unreachedAdvice(reason, t),
    };
  },
  phones_dropped: ({ detail: { site, template, problem } }, t) => ({
    title: t("Phones are left out of messages of {site} with the template {template}: each {fault}", {
      site,
      template,
      fault: phoneFaults[problem](t),
    }),
    advice: unreachedAdvice({ code: "phone_unreadable", path: "", problem }, t),
  }),
  callbacks_missing: (_, t) => ({
    title: t("WhatsApp's reports do not arrive: messages left more than an hour ago without a single one"),
    advice: t("Compare the callback URL and the verify token under Settings, Platform with those in your Meta app."),
  }),
  number_limit: ({ detail: { reached, limit } }, t) => ({
    title: t("{reached, number} of the {limit, number} people that the number may write to in 24 hours are reached", { reached, limit }),
    advice:
      reached < limit
        ? t("Past the limit marketing messages wait. WhatsApp raises it for numbers of good quality whose messages are wanted.")
        : t("Marketing messages wait until the limit has been read again, every 10 minutes; all others still leave."),
  }),
  backlog: ({ detail: { minutes } }, t) => ({
    title:
      minutes < 120
        ? t("Messages that are due have waited for {minutes} minutes", { minutes })
        : t("Messages that are due have waited for {hours} hours", { hours: Math.floor(minutes / 60) }),
    advice: t("Check the queue on the overview: the pace may be too low, or no gateway is running."),
  }),
  site_held: ({ detail: { site } }, t) => ({
    title: t("Sending is paused for {site}", { site }),
    advice: t("Resume sending on the site's page."),
  }),
  shop_fault: ({ detail: { site, sourceType, fault } }, t) => {
    const { text, action } = describeShopFault(fault, sourceType, t);
    return { title: `${site}: ${text.replace(/\.$/, "")}`, advice: action };
  },
  site_silent: ({ detail: { name, lastEventAt, sourceType = "generic" } }, t) => ({
    title: t("No event has arrived from the site {name} for an unusually long time", { name }),
    advice: [t("The last event arrived at {lastEventAt}.", { lastEventAt }), silenceAdvice[sourceType](t)].join(" "),
  }),
  endpoint_disabled: ({ detail: { host, site, because } }, t) => ({
    title:
      because === "gone"
        ? t("The endpoint at {host} of the site {site} is switched off because it answered 410 Gone", { host, site })
        : t("The endpoint at {host} of the site {site} is switched off because it accepted nothing for five days", { host, site }),
    advice: t("It gets no requests until you switch it on again. You can then replay failed deliveries on the Webhooks page."),
  }),
  endpoint_failing: ({ detail: { site, host } }, t) => ({
    title: t("The endpoint at {host} of the site {site} fails", { host, site }),
    advice: t("Repair the endpoint. Its deliveries are retried automatically; after five days it is switched off."),
  }),
  site_without_bindings: ({ detail: { site } }, t) => ({
    title: t("Events of {site} arrive, but none of its bindings is switched on", { site }),
    advice: t("Create a binding: it says which event sends which template."),
  }),
  test_without_phone: ({ detail: { site } }, t) => ({
    title: t("Test events of {site} reach nobody: the site has no test phone", { site }),
    advice: t("Enter the site's test phone."),
  }),
  binding_doubled: ({ detail: { site, event, template } }, t) => ({
    title: t("{event} of {site} sends {template} twice", { event, site, template }),
    advice: t("Another binding has the same event, template and recipient: delete one of them."),
  }),
  event_misspelt: ({ detail: { site, event, template, comes } }, t) => ({
    title: t("{event}, which should send {template}, never arrives from {site}, but {comes} does and has no binding", {
      event,
      template,
      site,
      comes,
    }),
    advice: t("Change the binding's event to {comes}, or have the site post {event}.", { comes, event }),
  }),
  field_changed: ({ detail: { site, event, path, was, now } }, t) => ({
    title:
      now === null
        ? t("{path} no longer comes with {event} of {site}, and a binding reads it", { path, event, site })
        : t("{path} of {event} of {site} is now of the type {now} and was {was}, and a binding reads it", { path, event, site, was, now }),
    advice: t("Choose the field's new name or form in the binding, or have the site send it as before."),
  }),
  binding_never_fired: ({ detail: { site, event, template, rule } }, t) => ({
    title:
      rule === null
        ? t("{event} of {site} never sends {template}, although it arrives", { event, site, template })
        : t("{event} of {site} never sends {template}, although it arrives: mostly {path} does not meet “{op}”", {
            event,
            site,
            template,
            path: rule.path,
            op: opLabels[rule.op](t),
          }),
    advice: t("Compare the binding's conditions and dates with the event's values."),
  }),
};

const endsAt = (until: string | null | undefined, t: Write): string[] => (until == null ? [] : [t("It ends at {until}.", { until })]);

type Count = (t: Write, count: number) => string;

const units = {
  failed: (t, count) => t("{count, plural, one {# message failed} other {# messages failed}}", { count }),
  waits: (t, count) => t("{count, plural, one {# message waits} other {# messages wait}}", { count }),
  events: (t, count) => t("{count, plural, one {# event} other {# events}}", { count }),
  requests: (t, count) => t("{count, plural, one {# request} other {# requests}}", { count }),
  phones: (t, count) => t("{count, plural, one {# phone} other {# phones}}", { count }),
  messages: (t, count) => t("{count, plural, one {# message} other {# messages}}", { count }),
} satisfies Record<string, Count>;

const unitOf: Partial<Record<ProblemKind, Count>> = {
  platform_missing: units.events,
  platform_stopped: units.failed,
  platform_failing: units.messages,
  requests_refused: units.requests,
  template_refused: units.failed,
  binding_cannot_send: units.failed,
  messages_failed: units.failed,
  nobody_reached: units.events,
  phones_dropped: units.phones,
  callbacks_missing: units.messages,
  backlog: units.waits,
  site_held: units.waits,
  site_without_bindings: units.events,
  test_without_phone: units.events,
  event_misspelt: units.events,
  binding_never_fired: units.events,
};

function countOf({ kind, count, more }: TellableProblem, t: Write): string | null {
  const unit = unitOf[kind];
  if (unit === undefined || count === 0) return null;
  return more ? t("at least {counted}", { counted: unit(t, count) }) : unit(t, count);
}

const statuses: Record<TemplateStatus, (t: Write, template: string) => string> = {
  draft: (t, template) => t("The template {template} is a draft", { template }),
  pending: (t, template) => t("The template {template} is not approved yet", { template }),
  approved: (t, template) => t("WhatsApp refuses messages with the template {template}", { template }),
  rejected: (t, template) => t("The template {template} is rejected", { template }),
  paused: (t, template) => t("The template {template} is paused", { template }),
  disabled: (t, template) => t("The template {template} is disabled", { template }),
};

const statusAdvice: Record<TemplateStatus, (t: Write) => string> = {
  draft: (t) => t("Submit it for approval."),
  pending: (t) => t("Wait for the approval, or use an approved template in the binding."),
  approved: (t) => t("Check its quality in WhatsApp Manager, or use another template in the binding."),
  rejected: (t) => t("Messages with this template fail. Change it and submit it again, or use another template in the binding."),
  paused: (t) =>
    t("This is usually because recipients complained. It may resume by itself: check its quality, or use another template in the binding."),
  disabled: (t) => t("Create another template and use it in the binding."),
};

const unreadable: Record<"site" | "platform" | "dataKey", (t: Write, site: string) => string> = {
  site: (t, site) => t("A secret of the site {site} cannot be read", { site }),
  platform: (t) => t("WhatsApp's credentials cannot be read"),
  dataKey: (t) => t("The key of the encrypted payloads cannot be read"),
};

/** The reason why nobody is reached, as words behind a colon. */
function unreached(reason: Unreached, t: Write): string {
  switch (reason.code) {
    case "no_phone_at_path":
      return t("{path} is missing or is not text", { path: reason.path });
    case "no_active_recipient":
      return t("the site's list has no active phone");
    case "no_test_phone":
      return t("the site has no test phone");
    case "phone_unreadable":
      return t("the phone at {path} {fault}", { path: reason.path, fault: phoneFaults[reason.problem](t) });
  }
}

function unreachedAdvice(reason: Unreached, t: Write): string {
  switch (reason.code) {
    case "no_phone_at_path":
      return t("Make the shop ask for a phone number, or choose another field in the binding.");
    case "no_active_recipient":
      return t("Add an active phone to the site's recipients.");
    case "no_test_phone":
      return t("Enter the site's test phone.");
    case "phone_unreadable":
      return reason.problem === "no_country"
        ? t("Switch on “Add country codes” on the site's page and choose its country.")
        : t("Correct the phone number where it is entered.");
  }
}

const silenceAdvice: Record<SourceType, (t: Write) => string> = {
  generic: (t) => t("Check that the site still posts events and that its key is valid."),
  shopify: (t) =>
    t(
      "Shopify removes a webhook after repeated failures: in the Shopify admin open Settings, Notifications, Webhooks and create the missing ones.",
    ),
  woocommerce: (t) =>
    t(
      "WooCommerce switches a webhook off after five failed deliveries: in WordPress open WooCommerce, Settings, Advanced, Webhooks and set the status to Active again.",
    ),
};
