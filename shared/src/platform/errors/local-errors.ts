import type { Explanation } from "./error-class.ts";

/** A failure that Tidings itself finds. `rebuild`: the message is at fault or was never made, so a resend makes it anew from the event. */
interface LocalError {
  title: string;
  explanation: Explanation;
  rebuild: boolean;
}

const resendNow = "Resend it.";
const none = "Nothing has to be done.";
const lookFirst = "Look at the recipient's side first: the message may have arrived. Resend it if it did not.";

/** Every code of our own, by the log's `errorCode`. */
export const localErrors: ReadonlyMap<string, LocalError> = new Map(
  (
    [
      [
        "slot_unresolved",
        true,
        "A variable has no value",
        "The event had no value for a variable of the template; the reason names it.",
        "Give the variable a fallback in the binding, or have the event carry the value; then resend it.",
      ],
      [
        "too_long",
        true,
        "The text is too long",
        "With the values filled in, a part of the message is longer than WhatsApp allows; the reason names it.",
        "Shorten the template, or bind a shorter value; then resend it.",
      ],
      [
        "url_not_fitting",
        true,
        "The address does not fit the button",
        "The value is a whole address that does not begin as the template's button does: together they would lead nowhere. The reason names both.",
        "Bind the part behind the template's address, or a template with the right one; then resend it.",
      ],
      [
        "template_not_approved",
        true,
        "The template is not approved",
        "Only an approved template can be sent, and this one was not approved at that moment.",
        "Wait for the approval, or bind an approved template; then resend it.",
      ],
      [
        "template_changed",
        true,
        "The template has changed",
        "The template's variables are no longer those that the binding was made for; the reason names them.",
        "Save the binding's variables again; then resend it.",
      ],
      [
        "template_not_sendable",
        true,
        "The template cannot be sent",
        "The template needs something that a binding cannot give; the reason says what.",
        "Bind another template, or give the header its file; then resend it.",
      ],
      [
        "too_many_recipients",
        false,
        "Too many recipients",
        "One event sends at most 200 messages, and this one was beyond them.",
        "Resend it, and spread the recipients over several events from now on.",
      ],
      [
        "recipient_opted_out",
        false,
        "The recipient opted out",
        "The recipient opted out of such messages of this business, so the message was not sent.",
        "Do not resend it. If the person agreed again, lift the entry in the list of opt-outs first.",
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
        "The sending was interrupted",
        "The gateway stopped while it was sending the message and no status update has come since, or it could not be sent for too long; the reason says which.",
        lookFirst,
      ],
      ["deadline", false, "WhatsApp was too slow", "The time of the request ended before the message could be sent.", resendNow],
      [
        "account_stopped",
        false,
        "The account is stopped",
        "WhatsApp refused the whole account at that moment, so the message was not sent.",
        "See the settings for the reason. Resend it once they show no problem.",
      ],
      [
        "expired",
        false,
        "Its time was over",
        "The message could not leave before the time after which its binding does not want it sent.",
        "Nothing, if it is too late. Else resend it, and give the binding more time.",
      ],
      [
        "throttled",
        false,
        "Enough for this phone",
        "The binding allows so many messages to one phone in a time, and this one was beyond them.",
        "Nothing. If the person should have got it, resend it, or allow more in the binding.",
      ],
      [
        "site_disabled",
        false,
        "The site refuses events",
        "The site was disabled when the message was due, so it was not sent.",
        "Enable the site; then resend it.",
      ],
      [
        "restarted",
        false,
        "A newer event took its place",
        "A later event of the same binding with the same value replaced it while it waited.",
        none,
      ],
      ["cancelled_by_event", false, "An event cancelled it", "An event came for which the binding cancels what waits.", none],
      ["cancelled_by_operator", false, "Somebody cancelled it", "Somebody of your team cancelled it while it waited.", none],
      ["binding_deleted", false, "Its binding was deleted", "Its binding was deleted while it waited.", none],
      ["site_deleted", false, "Its site was deleted", "Its site was deleted while it waited.", none],
      ["person_erased", false, "The person was erased", "The data of the person was erased while it waited.", none],
      [
        "unknown",
        false,
        "Failed without a reason",
        "WhatsApp reported that the message failed and did not say why.",
        "Resend it once. If it fails again, give WhatsApp support the message's id.",
      ],
    ] as const
  ).map(([code, rebuild, title, text, action]) => [code, { title, explanation: { text, action }, rebuild }]),
);
