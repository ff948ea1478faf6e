import { phoneForms } from "./phone-forms.ts";

/** Which messages a person does not want: those of marketing templates, or any. */
export type OptOutScope = "marketing" | "all";

/** Who said so: the person in the app's settings, the platform when it failed a message afterwards or refused it at once, or an operator. */
export type OptOutSource = "preference" | "callback" | "refusal" | "operator";

/** What an error of the platform says of its recipient's wishes; null when it says nothing of them. */
export function optOutScopeOf(errorCode: string | null): OptOutScope | null {
  if (errorCode === "131050") return "marketing";
  return errorCode === "130403" ? "all" : null;
}

/** What an account's entry for a phone is known by, once digested: however the number is written, and another one in each account. */
export const optOutKey = (accountId: string, phone: string): string => `opt-out ${accountId} ${phoneForms(phone)[0] ?? ""}`;

/** Why a message to somebody who opted out is not sent. */
export const optedOut = {
  code: "recipient_opted_out",
  reason: "The recipient has opted out of such messages; see the list of people who did. Nothing was sent.",
};
