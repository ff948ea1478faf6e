import type { Explanation } from "./error-class.ts";

/** A failure that Tidings itself finds. `rebuild`: the message is at fault or was never made, so a resend makes it anew from the event. */
interface LocalError {
  title: string;
  explanation: Explanation;
  rebuild: boolean;
}

const resendNow = "Resend it.";
/** About a message that was left unsent on purpose, which cannot be resent. */
export const nothingToDo = "You do not need to do anything.";
const lookFirst = "Check with the recipient first: the message may have arrived. Resend it if it did not.";

const lines: readonly (readonly [code: string, rebuild: boolean, title: string, text: string, action?: string])[] = [
  [
    "slot_unresolved",
    true,
    "A variable has no value",
    "The event had no value for a variable of the template; the reason names it.",
    "Give the variable a fallback in the binding, or send the value in the event; then resend the message.",
  ],
  [
    "too_long",
    true,
    "The text is too long",
    "With the values filled in, a part of the message is longer than WhatsApp allows; the reason names it.",
    "Shorten the template, or use a shorter value in the binding; then resend the message.",
  ],
  [
    "url_not_fitting",
    true,
    "The URL does not fit the button",
    "The value is a full URL that does not begin like the template's button, or would lead out of it, so the link would go elsewhere. The reason says which.",
    "In the binding, use only the part after the template's URL, or choose a template with the right URL; then resend the message.",
  ],
  [
    "template_not_approved",
    true,
    "The template is not approved",
    "Only an approved template can be sent, and this one was not approved at that moment.",
    "Wait for the approval, or use an approved template in the binding; then resend the message.",
  ],
  [
    "template_changed",
    true,
    "The template has changed",
    "The template's variables are no longer those that the binding was made for; the reason names them.",
    "Save the binding's variables again; then resend the message.",
  ],
  [
    "template_not_sendable",
    true,
    "The template cannot be sent",
    "The template needs something that a binding cannot fill; the reason says what.",
    "Use another template in the binding, or add the header's file; then resend the message.",
  ],
  [
    "too_many_recipients",
    false,
    "Too many recipients",
    "One event sends at most 200 messages, and this message was over the limit.",
    "Resend it, and spread the recipients over several events from now on.",
  ],
  [
    "recipient_opted_out",
    false,
    "Recipient opted out",
    "The recipient opted out of these messages, so the message was not sent.",
    "Do not resend it. If the person wants messages again, remove the opt-out under Privacy first.",
  ],
  [
    "in_doubt",
    false,
    "It may have been sent",
    "WhatsApp did not answer in time, so the message may or may not have been sent. A later status update corrects this.",
    lookFirst,
  ],
  [
    "unexpected_answer",
    false,
    "Accepted without an ID",
    "WhatsApp accepted the message without an ID, so its delivery cannot be tracked.",
    lookFirst,
  ],
  [
    "interrupted",
    false,
    "Sending was interrupted",
    "The gateway stopped while it was sending the message and no status update arrived, or the message could not be sent for too long; the reason says which.",
    lookFirst,
  ],
  ["deadline", false, "WhatsApp was too slow", "The time limit of the request ended before the message could be sent.", resendNow],
  [
    "account_stopped",
    false,
    "The account is stopped",
    "WhatsApp refused the whole account at that moment, so the message was not sent.",
    "Resend it once Settings › WhatsApp shows no problem.",
  ],
  [
    "expired",
    false,
    "Too late to send",
    "The message could not be sent before the latest time that its binding allows.",
    "If it is not too late for the recipient, resend the message, and allow more time in the binding.",
  ],
  [
    "throttled",
    false,
    "Too many messages to this phone",
    "The binding limits the messages to one phone, and this message was over the limit.",
    "If the person should get the message, resend it, or raise the limit in the binding.",
  ],
  [
    "site_disabled",
    false,
    "The site refuses events",
    "The site was disabled when the message was due, so it was not sent.",
    "Switch “Accept events” on for the site; then resend the message.",
  ],
  ["restarted", false, "Replaced by a newer event", "A later event of the same binding with the same value replaced the waiting message."],
  ["cancelled_by_event", false, "Cancelled by an event", "An event arrived that cancels the binding's waiting messages."],
  ["cancelled_by_operator", false, "Cancelled by your team", "Someone in your team cancelled the message while it waited."],
  ["binding_deleted", false, "Its binding was deleted", "The message's binding was deleted while the message waited."],
  ["site_deleted", false, "Its site was deleted", "The message's site was deleted while the message waited."],
  ["person_erased", false, "The person was erased", "The person's data was erased while the message waited."],
  [
    "unknown",
    false,
    "Failed without a reason",
    "WhatsApp reported that the message failed and did not say why.",
    "Resend it once. If it fails again, give WhatsApp support the message's id.",
  ],
];

/** Every code of our own, by the log's `errorCode`. */
export const localErrors: ReadonlyMap<string, LocalError> = new Map(
  lines.map(([code, rebuild, title, text, action = nothingToDo]) => [code, { title, explanation: { text, action }, rebuild }]),
);
