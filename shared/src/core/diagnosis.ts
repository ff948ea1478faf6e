import { countRefused } from "./alert/proof.ts";
import type { ConditionOp } from "./conditions.ts";
import type { PhoneProblem } from "./phone.ts";
import { describeEmptySlot, type EmptySlot, opLabels, phoneFaults, slotLabel, type Unreached } from "./reason.ts";
import type { RefusedBecause } from "./refused.ts";
import type { SourceType } from "./site.ts";
import { describeShopFault, type ShopFault } from "./sources/shop-problem.ts";
import type { TemplateStatus } from "./template/definition.ts";
import { shorten } from "./text.ts";
import { english, type Write } from "./wording.ts";

/** The details of each finding beside its code. */
interface Details {
  platform_missing: object;
  platform_stopped: { errorCode: string; title: string };
  secret_unreadable: { of: "dataKey" | "platform" | "site" };
  site_disabled: object;
  requests_refused: { because: RefusedBecause; explanation: { text: string; action: string } };
  template_not_usable: { template: string; language: string; status: Exclude<TemplateStatus, "approved">; reason: string | null };
  slot_empty: { template: string; problem: EmptySlot };
  messages_failed: { errorCode: string; title: string; explanation: { text: string; action: string }; template: string | null };
  nobody_reached: { reason: Unreached };
  phones_dropped: { template: string; problem: PhoneProblem };
  site_without_bindings: object;
  test_without_phone: object;
  binding_held_back: { event: string; template: string; rule: { path: string; op: ConditionOp } | null };
  event_misspelt: { event: string; template: string; comes: string };
  callbacks_missing: object;
  backlog_old: { seconds: number };
  site_held: object;
  site_silent: { sourceType: SourceType; lastEventAt: string; longestPauseHours: number | null };
  shop_fault: { sourceType: SourceType; fault: ShopFault };
  endpoint_off: { url: string; because: "gone" | "failing" };
  endpoint_failing: { url: string; since: string };
}

export type FindingCode = keyof Details;

/** The place to act: a page, or a list with the filter that shows exactly the counted rows. */
export type FindingPlace =
  | { kind: "platform" | "general" }
  | { kind: "site" | "template" | "binding"; id: string }
  | { kind: "log"; filter: { siteId?: string; status: "failed"; errorCode?: string; template?: string; test?: false } }
  | { kind: "events"; filter: { siteId: string; unreached: string } }
  | { kind: "scheduled"; filter: { siteId: string } }
  | { kind: "bindings"; filter: { siteId: string } };

/** The facts that every finding has. */
interface Measure {
  /** Null for a finding about the whole account. */
  site: { id: string; name: string } | null;
  /** The number of messages, events or requests that it concerns in the period. */
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
  /** The share among all messages that could have it, 0 to 1; null if there is nothing to compare with. */
  share: number | null;
  /** ISO 8601: when it was seen last; null for a lasting fault. */
  lastAt: string | null;
  place: FindingPlace;
}

/** Something that keeps messages from arriving: data, of which `describeFinding` makes the sentences. */
export type Finding = { [Code in FindingCode]: { code: Code } & Details[Code] & Measure }[FindingCode];

/** - stops: nothing leaves until somebody acts. - loses: messages were lost. All others are risks: nothing was lost by them, as far as is known. */
const harms: Readonly<Partial<Record<FindingCode, "stops" | "loses">>> = {
  platform_missing: "stops",
  platform_stopped: "stops",
  secret_unreadable: "stops",
  site_disabled: "loses",
  requests_refused: "loses",
  template_not_usable: "loses",
  slot_empty: "loses",
  messages_failed: "loses",
  nobody_reached: "loses",
  phones_dropped: "loses",
  shop_fault: "loses",
};

const harmOrder = ["stops", "loses", "risks"] as const;

/**
 * The findings, the most harmful first: those that stop everything, then by lost messages, then the latest. No two findings are equal, so the order is the
 * same each time.
 */
export function rankFindings(findings: readonly Finding[]): Finding[] {
  const keyed = new Map(findings.map((finding) => [findingKey(finding), finding]));
  return [...keyed]
    .toSorted(
      ([a, x], [b, y]) =>
        harmOrder.indexOf(harms[x.code] ?? "risks") - harmOrder.indexOf(harms[y.code] ?? "risks") ||
        y.count - x.count ||
        compare(y.lastAt ?? "", x.lastAt ?? "") ||
        compare(a, b),
    )
    .map(([, finding]) => finding);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A key that two findings share only if they report the same fault of the same thing, whatever their counts. */
export function findingKey({ count: _count, more: _more, share: _share, lastAt: _lastAt, ...rest }: Finding): string {
  return JSON.stringify(rest, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compare(a, b)))
      : value,
  );
}

/** A finding in words: the fault, and what to do about it. */
export interface FindingWords {
  text: string;
  action: string;
}

/** The sentences of a finding: in English for answers, or by a page's `t` in plainer words of the reader's language. */
export function describeFinding(finding: Finding, t?: Write): FindingWords {
  const write = words[finding.code] as (finding: Finding, t: Write, isPage: boolean) => FindingWords;
  return write(finding, t ?? english, t !== undefined);
}

type Writer<Code extends FindingCode> = (finding: Extract<Finding, { code: Code }>, t: Write, isPage: boolean) => FindingWords;

const words: { [Code in FindingCode]: Writer<Code> } = {
  platform_missing: (finding, t) => ({
    text:
      finding.count === 0
        ? t("WhatsApp is not connected, so nothing is sent.")
        : t("WhatsApp is not connected, so nothing is sent: {events} sent nothing.", { events: events(finding, t) }),
    action: t("Connect WhatsApp under Settings, Platform."),
  }),
  platform_stopped: (finding, t) => {
    const error = `${finding.errorCode}: ${finding.title}`;
    return {
      text:
        finding.count === 0
          ? t("WhatsApp refuses the whole account ({error}).", { error })
          : t("WhatsApp refuses the whole account ({error}): {messages} failed.", { error, messages: messages(finding, t) }),
      action: t("See the reason under Settings, Platform. Once the connection test passes, resend the failed messages."),
    };
  },
  secret_unreadable: ({ of, site }, t) => unreadable[of](t, site?.name ?? t("the site")),
  site_disabled: (finding, t) => ({
    text:
      finding.count === 0
        ? t("The site is disabled: its events are refused with 403.")
        : t("The site is disabled: its events are refused with 403, and {messages} failed.", { messages: messages(finding, t) }),
    action: t("Switch “Accept events” on again on the site's page."),
  }),
  requests_refused: (finding, t) => ({
    text: t("The site refused {requests}: {reason}", { requests: countRefused(finding, t), reason: finding.explanation.text }),
    action: finding.explanation.action,
  }),
  template_not_usable: (finding, t) => ({
    text: because(finding, templateProblems[finding.status](t, `${finding.template} (${finding.language})`) + told(finding.reason), t),
    action: statusActions[finding.status](t),
  }),
  slot_empty: (finding, t, isPage) => ({
    text: because(
      finding,
      t("{problem} in the template {template}", { problem: emptySlot(finding.problem, t, isPage), template: finding.template }),
      t,
    ),
    action:
      finding.problem.code === "value_not_mapped"
        ? t("Give the variable a value in the binding.")
        : t("Give the variable a fallback in the binding, or send the value in the event."),
  }),
  messages_failed: (finding, t) => {
    const values = { messages: messages(finding, t), share: shareOf(finding, t), error: `${finding.title} (${finding.errorCode})` };
    return {
      text:
        finding.template === null
          ? t("{messages} failed{share}: {error}.", values)
          : t("{messages} of the template {template} failed{share}: {error}.", { ...values, template: finding.template }),
      action: `${finding.explanation.text} ${finding.explanation.action}`,
    };
  },
  nobody_reached: (finding, t) => ({
    text: t("{events} had no recipient: {reason}.", { events: events(finding, t), reason: unreached(finding.reason, t) }),
    action: unreachedAdvice(finding.reason, t),
  }),
  phones_dropped: (finding, t) => {
    const values = {
      phones: finding.more
        ? t("{count} or more phones", { count: finding.count })
        : t("{count, plural, one {# phone} other {# phones}}", { count: finding.count }),
      template: finding.template,
      fault: phoneFaults[finding.problem](t),
    };
    return {
      text:
        finding.count === 1 && !finding.more
          ? t("{phones} was left out of messages of the template {template}: it {fault}.", values)
          : t("{phones} were left out of messages of the template {template}: each {fault}.", values),
      action: unreachedAdvice({ code: "phone_unreadable", path: "", problem: finding.problem }, t),
    };
  },
  site_without_bindings: (finding, t) => ({
    text: t("{events} arrived, but no binding of the site is switched on.", { events: events(finding, t) }),
    action: t("Create a binding: it says which event sends which template."),
  }),
  test_without_phone: (finding, t) => ({
    text: finding.more
      ? t("{count} or more test events had no recipient: the site has no test phone.", { count: finding.count })
      : t("{count, plural, one {# test event} other {# test events}} had no recipient: the site has no test phone.", {
          count: finding.count,
        }),
    action: t("Enter the site's test phone."),
  }),
  binding_held_back: (finding, t) => {
    const { event, template, rule } = finding;
    const values = { event, template, arrived: finding.count === 0 ? "" : ` (${events(finding, t)})` };
    return {
      text:
        rule === null
          ? t("The binding of {event} to {template} never fires, although its event arrives{arrived}.", values)
          : t(
              "The binding of {event} to {template} never fires, although its event arrives{arrived}: mostly {path} does not meet “{op}”.",
              { ...values, path: rule.path, op: opLabels[rule.op](t) },
            ),
      action: t("Compare the binding's conditions and dates with the event's values."),
    };
  },
  event_misspelt: (finding, t) => {
    const { event, template, comes, count } = finding;
    const values = { event, template, comes, count };
    return {
      text: finding.more
        ? t(
            "The event {event} of the binding to {template} never arrived. {comes} arrived {count} or more times and has no binding.",
            values,
          )
        : t(
            "The event {event} of the binding to {template} never arrived. {comes} arrived {count, plural, one {once} other {# times}} and has no binding.",
            values,
          ),
      action: t("Change the binding's event to {comes}, or have the site post {event}.", { comes, event }),
    };
  },
  callbacks_missing: (finding, t) => ({
    text: t("{messages} left more than an hour ago without a single report from WhatsApp: its callbacks do not arrive.", {
      messages: messages(finding, t),
    }),
    action: t("Compare the callback URL and the verify token under Settings, Platform with those in your Meta app."),
  }),
  backlog_old: (finding, t) => {
    const values = { messages: messages(finding, t), duration: duration(finding.seconds, t) };
    return {
      text:
        finding.count === 1
          ? t("{messages} waits to be sent, the oldest for {duration}.", values)
          : t("{messages} wait to be sent, the oldest for {duration}.", values),
      action: t(
        "Check that a gateway is running and that the account is not stopped. Raise the messages per second if your number allows more.",
      ),
    };
  },
  site_held: (finding, t) => ({
    text: held(finding, t),
    action: t("Resume sending on the site's page."),
  }),
  site_silent: ({ sourceType, longestPauseHours: hours }, t) => ({
    text:
      hours === null
        ? t("No events arrive any more.")
        : t("No events arrive any more; the longest pause in the week before was {hours, plural, one {# hour} other {# hours}}.", {
            hours,
          }),
    action: silenceAdvice[sourceType](t),
  }),
  shop_fault: ({ fault, sourceType }, t) => describeShopFault(fault, sourceType, t),
  endpoint_off: ({ url, because: why }, t) => ({
    text:
      why === "gone"
        ? t("The endpoint {url} is switched off: it answered 410.", { url: shorten(url, 80) })
        : t("The endpoint {url} is switched off: no delivery succeeded for five days.", { url: shorten(url, 80) }),
    action: t("Repair it, switch it on again and replay the failed deliveries, or delete it."),
  }),
  endpoint_failing: ({ url }, t) => ({
    text: t("The endpoint {url} fails. After five days it is switched off.", { url: shorten(url, 80) }),
    action: t("Repair the endpoint. Its deliveries are retried automatically."),
  }),
};

const messages = ({ count, more }: Measure, t: Write): string =>
  more ? t("{count} or more messages", { count }) : t("{count, plural, one {# message} other {# messages}}", { count });

const events = ({ count, more }: Measure, t: Write): string =>
  more ? t("{count} or more events", { count }) : t("{count, plural, one {# event} other {# events}}", { count });

const shareOf = ({ share }: Measure, t: Write): string =>
  share === null ? "" : share < 0.01 ? t(" (less than 1 %)") : t(" ({percent} %)", { percent: Math.round(share * 100) });

const because = (finding: Measure, reason: string, t: Write): string =>
  finding.count === 0
    ? t("Messages fail because {reason}.", { reason })
    : t("{messages} failed{share} because {reason}.", { messages: messages(finding, t), share: shareOf(finding, t), reason });

/** A reason of the platform without its last full stop, as the sentence goes on. */
const told = (reason: string | null): string => (reason === null ? "" : `: ${shorten(reason, 200).replace(/\.$/, "")}`);

function emptySlot(problem: EmptySlot, t: Write, isPage: boolean): string {
  const slot = slotLabel(problem.slot, isPage ? t : undefined);
  return problem.code === "value_not_mapped"
    ? t("{slot} has no value", { slot })
    : t("{slot} is empty ({cause})", { slot, cause: describeEmptySlot(problem, t) });
}

function held(finding: Measure, t: Write): string {
  if (finding.count === 0) return t("Sending is paused.");
  const values = { messages: messages(finding, t) };
  return finding.count === 1 ? t("Sending is paused, and {messages} waits.", values) : t("Sending is paused, and {messages} wait.", values);
}

const unreadable: Record<"dataKey" | "platform" | "site", (t: Write, site: string) => FindingWords> = {
  dataKey: (t) => ({
    text: t("The key of the encrypted data cannot be read, so every event is refused with 503."),
    action: t("Restore the account's data_key from a backup, or see “The master key” in the documentation."),
  }),
  platform: (t) => ({
    text: t("WhatsApp's access token or app secret cannot be read, so every event is refused with 503."),
    action: t("Enter the access token and the app secret again."),
  }),
  site: (t, site) => ({
    text: t("A secret of {site} cannot be read, so every event is refused with 503.", { site }),
    action: t("Rotate the site's webhook secret with “Immediately”, and give the backend the new one."),
  }),
};

const templateProblems: Record<Exclude<TemplateStatus, "approved">, (t: Write, template: string) => string> = {
  draft: (t, template) => t("the template {template} is a draft", { template }),
  pending: (t, template) => t("the template {template} is not approved yet", { template }),
  rejected: (t, template) => t("the template {template} is rejected", { template }),
  paused: (t, template) => t("the template {template} is paused by WhatsApp", { template }),
  disabled: (t, template) => t("the template {template} is disabled by WhatsApp", { template }),
};
const statusActions: Record<Exclude<TemplateStatus, "approved">, (t: Write) => string> = {
  draft: (t) => t("Submit it for approval."),
  pending: (t) => t("Wait for the approval, or use an approved template in the binding."),
  rejected: (t) => t("Change it and submit it again."),
  paused: (t) =>
    t("This is usually because recipients complained. It may resume by itself: check its quality, or use another template in the binding."),
  disabled: (t) => t("Create another template and use it in the binding."),
};

/** The reason, as words behind “had no recipient”. */
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
        ? t("Switch on “Complete numbers” on the site's page and choose its country.")
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

function duration(seconds: number, t: Write): string {
  if (seconds < 7200) return t("{count, plural, one {# minute} other {# minutes}}", { count: Math.round(seconds / 60) });
  return seconds < 172_800
    ? t("{count, plural, one {# hour} other {# hours}}", { count: Math.round(seconds / 3600) })
    : t("{count, plural, one {# day} other {# days}}", { count: Math.round(seconds / 86_400) });
}
