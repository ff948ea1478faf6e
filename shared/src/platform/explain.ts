import { classify } from "./error-classes.ts";
import type { ErrorClass, Explanation } from "./errors/error-class.ts";
import { localErrors } from "./errors/local-errors.ts";

/** What the log says about a failed message. */
export interface Failure {
  code: string;
  subcode: string | null;
}

/** Every code has an explanation, also one that the platform invents tomorrow. */
export function explain({ code, subcode }: Failure): Explanation {
  const local = localErrors.get(code);
  if (local !== undefined) return local.explanation;
  const { explanation, resendHint, class: errorClass } = classifyLogged(code, subcode);
  return { text: explanation, action: resendHint ?? withoutResend[errorClass] };
}

const withoutResend: Record<ErrorClass, string> = {
  transient: "Resend it in a few minutes.",
  permanent: "Resending the same message fails the same way. Put right what the details name; the next event then sends a good one.",
  recipient: "Do not resend it: the platform would refuse it again. Reach the person another way.",
  quality: "Resend it once the platform lifts the limit.",
  account: "Resend it once the connection test in the settings passes again.",
};

/**
 * What a resend of a message that failed so would come to.
 * - `helps`: it may well succeed
 * - `later`: only when something has changed at the recipient's side, or is known of it: for a person to judge, message by message
 * - `futile`: it fails in the same way
 */
export type ResendOutlook = "helps" | "later" | "futile";

export function resendOutlook({ code, subcode }: Failure): ResendOutlook {
  if (localErrors.has(code)) return toBeJudged.has(code) ? "later" : "helps";
  const { class: errorClass, resendHint } = classifyLogged(code, subcode);
  if (resendHint === null) return "futile";
  return errorClass === "permanent" || errorClass === "recipient" ? "later" : "helps";
}

/** It may have arrived, or nobody wants it. */
const toBeJudged = new Set(["in_doubt", "unexpected_answer", "interrupted", "recipient_opted_out"]);

/** Whether the message itself was at fault, so that a resend should be made anew from its event. */
export function isContentFailure({ code, subcode }: Failure): boolean {
  return localErrors.get(code)?.rebuild ?? classifyLogged(code, subcode).class === "permanent";
}

/** An answer without a code is logged as `http_<status>`. */
function classifyLogged(code: string, subcode: string | null) {
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  return status === undefined ? classify({ code, subcode }) : classify({ status: Number(status) });
}
