import type { EventTrace } from "shared/core/plan";
import type { EventRow } from "shared/db/event/log";
import type { NotificationRow } from "shared/db/notification/log";
import { readStoredError } from "shared/platform/errors/classify";
import { explain } from "shared/platform/errors/classify";

/** In a sentence or two: whether something was sent, and if not, why. */
export function summarize(event: EventRow, trace: EventTrace, messages: readonly NotificationRow[]): string {
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

/** Each reason once, of the bindings that have no message, and the phones that were dropped. */
const reasonsOf = ({ bindings }: EventTrace): string =>
  [...new Set(bindings.flatMap(({ reasons, dropped }) => [...reasons, ...dropped.map((phone) => `${phone} was dropped`)]))].join("; ");
