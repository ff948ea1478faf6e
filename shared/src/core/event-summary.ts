import { type DroppedStatus, statusFacts } from "./message.ts";
import { describeClause, describeReason, type Reason } from "./reason.ts";
import { english, type Write } from "./wording.ts";

/** The result of an event, as far as one or two sentences can tell it. */
export interface EventSummary {
  event: string;
  /** The event's answer; null until it is known. */
  chat: string | null;
  test: boolean;
  dryRun: boolean;
  /** How many messages WhatsApp accepted, and how many failed. */
  sent: number;
  failed: number;
  /** The cause that kept all bindings from firing: a date, or the conditions of the one binding or of all. */
  heldBack: "moment" | "condition" | "conditions";
  /** The reasons why something was not sent: as data if there is some, or as a dropped phone. */
  missing: readonly ({ text: string; code: Reason | null } | { phone: string })[];
  /** The text of the explanation why the first failed message failed. */
  failure: string | null;
  scheduled: number;
  /** What was left unsent on purpose. `because`: the explanations, each once; with a reason as data where they name the event. */
  dropped: readonly { status: DroppedStatus; count: number; because: readonly { text: string; code: Reason | null }[] }[];
}

/** Says whether something was sent, and if not, why. Answers are English; a page gives its `t`, and `translated` for the texts of explanations. */
export function describeSummary(summary: EventSummary, t?: Write, translated: (text: string) => string = (text) => text): string {
  const write = t ?? english;
  const outcome = describeOutcome(summary, write, {
    missing: missingOf(summary, t),
    dropped: summary.dropped.map(({ status, count, because }) => {
      const why = because.map(({ text, code }) => (t === undefined || code === null ? translated(text) : describeReason(code, t)));
      return statusFacts[status].told(write, count, why.join(" "));
    }),
    translated,
  });
  if (summary.dryRun) return write("Dry run: nothing is sent. {outcome}", { outcome });
  return summary.test ? write("Test event: it goes only to the site's test phone. {outcome}", { outcome }) : outcome;
}

interface Told {
  missing: string;
  dropped: readonly string[];
  translated: (text: string) => string;
}

function describeOutcome(summary: EventSummary, t: Write, told: Told): string {
  const reasons = told.missing;
  switch (summary.chat) {
    case null:
      return t("The event is still being processed.");
    case "accepted":
      return t("The event was accepted. Its messages are queued.");
    case "no_bindings":
      return t("No binding of this site was switched on for {event}, so nothing was sent. Create a binding, or check the event's name.", {
        event: summary.event,
      });
    case "skipped_conditions":
      return heldBack[summary.heldBack](t, { reasons });
    case "skipped_no_config":
      return t("WhatsApp was not connected, so nothing was sent. Connect it under Settings › WhatsApp. Then post the event again.");
    case "skipped_no_phone":
      return t("No valid phone number was found, so nothing was sent: {reasons}.", { reasons });
    default:
      return summary.dryRun ? describeDryRun(summary.chat, reasons, t) : describeSent(summary, t, told);
  }
}

const heldBack: Record<EventSummary["heldBack"], (t: Write, values: { reasons: string }) => string> = {
  moment: (t, values) => t("No binding fired, so nothing was sent: {reasons}.", values),
  condition: (t, values) => t("The conditions of the binding were not met, so nothing was sent: {reasons}.", values),
  conditions: (t, values) => t("The conditions of all bindings were not met, so nothing was sent: {reasons}.", values),
};

const describeDryRun = (chat: string, reasons: string, t: Write): string =>
  reasons === "" ? t("A live event would answer {chat}.", { chat }) : t("A live event would answer {chat}: {reasons}.", { chat, reasons });

function describeSent({ sent, failed, failure, scheduled, dropped }: EventSummary, t: Write, told: Told): string {
  // Callers of the API keep the words that they have.
  const counts =
    (failed === 0) !== (sent === 0) && t !== english
      ? failed === 0
        ? t("WhatsApp accepted {sent, plural, one {the message} other {all # messages}}.", { sent })
        : t("{failed, plural, one {The message was not sent.} other {None of the # messages was sent.}}", { failed })
      : t("WhatsApp accepted {sent} of {total, plural, one {# message} other {# messages}}.", { sent, total: sent + failed });
  const waits = scheduled + dropped.length > 0;
  const parts = [
    waits && sent + failed === 0 ? "" : counts,
    failure === null || (waits && sent + failed === 0) ? "" : told.translated(failure),
    scheduled === 0 ? "" : t("{scheduled, plural, one {# message is} other {# messages are}} scheduled.", { scheduled }),
    ...told.dropped,
    told.missing === "" ? "" : t("Not sent: {reasons}.", { reasons: told.missing }),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** Each reason and each dropped phone once. */
function missingOf({ missing }: EventSummary, t: Write | undefined): string {
  const clauses = missing.map((each) => {
    if ("phone" in each) return (t ?? english)("{phone} was dropped", { phone: each.phone });
    return t === undefined || each.code === null ? each.text : describeClause(each.code, t);
  });
  return [...new Set(clauses)].join("; ");
}
