import type { EventTrace, TracedBinding } from "shared/core/plan";
import { describeReason } from "shared/core/reason";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import type { EventDetailRow, EventRow } from "shared/db/event/log";
import { listNotificationsOfEvents, type NotificationRow } from "shared/db/notification/log";
import { readStoredError, explain } from "shared/platform/errors/classify";
import { shownPhone, shownText, shownValue } from "../trpc/roles.ts";

const mostMessages = 1000;
const noBindings: EventTrace = { bindings: [], more: 0 };

/**
 * What became of an event, above all why nothing was sent. The stored trace holds only what the event's messages do not show; this joins the two.
 */
export async function traceEvent(sql: Sql, event: EventDetailRow, role: Role) {
  const stored = event.trace === null ? noBindings : (JSON.parse(event.trace) as EventTrace);
  const messages = await listNotificationsOfEvents(sql, event.site_id, [event.id], mostMessages);
  return {
    summary: shownText(summarize(event, stored, messages), role),
    /** Only events with a valid key and signature are stored. */
    signature: "valid" as const,
    /** Requests that repeated its idempotency key and got the first answer; they sent nothing. A few seconds behind. */
    duplicates: event.replays,
    bindings: toBindings(stored.bindings, messages, role),
    /** Bindings beyond those that a trace keeps. */
    moreBindings: stored.more,
  };
}

function toBindings(stored: readonly TracedBinding[], messages: readonly NotificationRow[], role: Role) {
  const traced = new Map(stored.map((binding) => [binding.bindingId, binding]));
  const firsts = messages.filter(({ resend_of }) => resend_of === null);
  const ids = new Set([...firsts.map(({ binding_id }) => binding_id), ...traced.keys()]);
  return [...ids].map((bindingId) => {
    const own = messages.filter(({ binding_id }) => binding_id === bindingId);
    const {
      template = own[0]?.template ?? "",
      language = own[0]?.language ?? "",
      dropped = [],
      reasons = [],
      reasonCodes = [],
    } = traced.get(bindingId) ?? {};
    return {
      bindingId,
      template,
      language,
      recipients: traced.get(bindingId)?.recipients ?? firsts.filter(({ binding_id }) => binding_id === bindingId).length,
      dropped: dropped.map((phone) => {
        const problem = { code: "phone_dropped" as const, phone: shownPhone(phone, role) };
        return { ...problem, reason: describeReason(problem) };
      }),
      /** Why the binding sent nothing, or had no recipient. */
      reasons: reasons.map((reason) => shownText(reason, role)),
      /** The same reasons as data, in the same order; null where only the sentence is stored. */
      reasonCodes: reasons.map((_, index) => shownValue(reasonCodes[index] ?? null, role)),
      messages: own.map((message) => toMessage(message, role)),
    };
  });
}

function toMessage(message: NotificationRow, role: Role) {
  const { id, to_phone, status, resend_of: resendOf, error_code: errorCode, error_reason, error_detail } = message;
  const explanation = errorCode === null ? null : explain({ code: errorCode, subcode: readStoredError(error_detail).subcode });
  const errorReason = error_reason && shownText(error_reason, role);
  return { id, toPhone: shownPhone(to_phone, role), status, resendOf, errorCode, errorReason, explanation };
}

/** One or two sentences: whether something was sent, and if not, why. */
function summarize(event: EventRow, trace: EventTrace, messages: readonly NotificationRow[]): string {
  const told = tell(event, trace, messages);
  if (event.dry_run) return `A dry run: nothing is sent. ${told}`;
  return event.test ? `A test event: it goes to the site's test phone only. ${told}` : told;
}

function tell(event: EventRow, trace: EventTrace, messages: readonly NotificationRow[]): string {
  switch (event.chat) {
    case null:
      return "It is still being worked on.";
    case "no_bindings":
      return `No binding of this site was switched on for ${event.name}, so nothing was sent. Add one, or check the event's name.`;
    case "skipped_no_config":
      return "No platform was connected, so nothing was sent. Connect one in the settings, then post the event again.";
    case "skipped_no_phone":
      return `No binding found anybody to write to, so nothing was sent: ${reasonsOf(trace)}.`;
    default:
      return event.dry_run ? tellDryRun(event, trace) : tellSent(event, trace, messages);
  }
}

function tellDryRun({ chat }: EventRow, trace: EventTrace): string {
  const reasons = reasonsOf(trace);
  return `Live the answer would be ${chat}${reasons === "" ? "" : `: ${reasons}`}.`;
}

function tellSent(
  { recipients_sent: sent, recipients_failed: failed }: EventRow,
  trace: EventTrace,
  messages: readonly NotificationRow[],
): string {
  const counts = `The platform took ${sent} of ${sent + failed} messages.`;
  const missing = reasonsOf(trace);
  const firstFailure = messages.find(({ error_code, resend_of }) => error_code !== null && resend_of === null);
  const why =
    firstFailure === undefined
      ? ""
      : ` ${explain({ code: firstFailure.error_code ?? "", subcode: readStoredError(firstFailure.error_detail).subcode }).text}`;
  return `${counts}${why}${missing === "" ? "" : ` Not written to: ${missing}.`}`;
}

/** Each reason and each dropped phone once. */
const reasonsOf = ({ bindings }: EventTrace): string =>
  [...new Set(bindings.flatMap(({ reasons, dropped }) => [...reasons, ...dropped.map((phone) => `${phone} was dropped`)]))].join("; ");
