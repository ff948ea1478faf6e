import type { Explanation } from "./error-class.ts";

/** A failure by our own word. `rebuild`: what was to be sent is at fault or was never made, so a resend makes it anew. */
interface LocalError {
  title: string;
  explanation: Explanation;
  rebuild: boolean;
}

const again = "Resend it.";
const look = "Look at the recipient's side first: the message may have arrived. Resend it if it did not.";

/** Every code of our own, as the log's `errorCode` has it. */
export const localErrors: ReadonlyMap<string, LocalError> = new Map(
  (
    [
      [
        "slot_unresolved",
        true,
        "A slot of the template is empty",
        "A slot of the template got no value from the event; the reason names it.",
        "Give the slot a fallback in the binding, or have the event carry the value; then resend it.",
      ],
      [
        "too_long",
        true,
        "The text is too long",
        "With the values filled in, a part of the message is longer than the platform allows; the reason names it.",
        "Shorten the template, or bind a shorter value; then resend it.",
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
        "The template's slots are no longer those that the binding was made for; the reason names them.",
        "Save the binding's slots again; then resend it.",
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
        "The recipient wants no such messages of this business, so the platform was not even asked.",
        "Do not resend it. If the person agreed again, lift the entry in the list of opt-outs first.",
      ],
      [
        "in_doubt",
        false,
        "Nobody knows whether it was sent",
        "The platform did not answer in time: it may or may not have taken the message. A later report of the platform corrects this.",
        look,
      ],
      [
        "unexpected_answer",
        false,
        "The platform's answer names no message",
        "The platform said yes but named no message, so nothing will be heard of it.",
        look,
      ],
      [
        "interrupted",
        false,
        "The sending was interrupted",
        "The gateway stopped while it was sending the message, and the platform has not said what became of it.",
        look,
      ],
      [
        "deadline",
        false,
        "The platform was too slow",
        "The message's turn did not come within the time of the request: it was never handed over.",
        again,
      ],
      [
        "account_stopped",
        false,
        "The account is stopped",
        "The platform refused the whole account at that moment, so this message was not even tried.",
        "See the settings for the reason. Resend it once they show no problem.",
      ],
      [
        "unknown",
        false,
        "Failed without a reason",
        "The platform reported that the message failed and did not say why.",
        "Resend it once; if it fails again, ask the platform's support with the message's id there.",
      ],
    ] as const
  ).map(([code, rebuild, title, text, action]) => [code, { title, explanation: { text, action }, rebuild }]),
);
