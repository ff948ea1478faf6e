import { errorTable } from "./error-class.ts";

/** The recipient cannot be reached, or not by this message. */
export const recipientErrors = errorTable("recipient", null, [
  ["130403", "The recipient blocked this business", "The recipient does not want messages of this business. Take the phone off the list."],
  [
    "130472",
    "The recipient is in an experiment of the platform",
    "The platform sends this person no marketing messages for now, as part of an experiment. The message is not charged.",
  ],
  ["130497", "This country may not be written to", "The business account may not message people in this recipient's country."],
  [
    "131026",
    "Undeliverable",
    "The recipient is not on WhatsApp, has not accepted its terms, or uses too old an app; the platform does not say which. Reach the person another way.",
    "Resend once the recipient says that WhatsApp works on this number.",
  ],
  [
    "131049",
    "Withheld by the platform",
    "The platform limits how many marketing messages a person gets, and sends none to numbers in the United States.",
    "Resend after 24 hours at the earliest; sooner only repeats the error.",
  ],
  [
    "131050",
    "The recipient opted out of marketing",
    "The recipient stopped marketing messages of this business. Send none until the person opts in again.",
  ],
]);
