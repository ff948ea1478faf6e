import type { StoredReason } from "../../core/reason.ts";

/**
 * The meaning of an error of the platform for the message.
 * - transient: the same message may succeed in a moment, so it is tried again at once
 * - permanent: this message can never succeed as it is
 * - recipient: the recipient cannot or does not want to be reached
 * - quality: the platform holds back for a while, for hours or days
 * - account: no message of the account can succeed until somebody acts
 */
export type ErrorClass = "transient" | "permanent" | "recipient" | "quality" | "account";

export interface Classification {
  class: ErrorClass;
  /** A few words as a title. */
  title: string;
  /** The explanation of what happened and what to do, for a reader who does not know the platform. */
  explanation: string;
  /** When sending the same message again makes sense; null when it never does. */
  resendHint: string | null;
}

/** For a reader who knows neither the platform nor Tidings. */
export interface Explanation {
  /** The text of what happened. */
  text: string;
  /** The text as data, for a cancelled message whose text names the event that stopped it. */
  reasonCode?: StoredReason | null;
  /** The advice on what to do about it. */
  action: string;
}

/** An error table of texts by code or code/subcode: a title, an explanation, and when a resend makes sense if it ever does. */
export const errorTable = (errorClass: ErrorClass, texts: Readonly<Record<string, readonly string[]>>): Map<string, Classification> =>
  new Map(
    Object.entries(texts).map(([code, [title = "", explanation = "", resendHint = null]]) => [
      code,
      { class: errorClass, title, explanation, resendHint },
    ]),
  );
