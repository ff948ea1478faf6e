import { accountErrors } from "./errors/account-errors.ts";
import type { Classification } from "./errors/error-class.ts";
import { permanentErrors } from "./errors/permanent-errors.ts";
import { qualityErrors } from "./errors/quality-errors.ts";
import { recipientErrors } from "./errors/recipient-errors.ts";
import { templateErrors } from "./errors/template-errors.ts";
import { transientErrors } from "./errors/transient-errors.ts";

/** What is known of an error; all of it may be missing. */
export interface ErrorToClassify {
  code?: string | number | null | undefined;
  subcode?: string | number | null | undefined;
  /** HTTP status, when the error came as the answer to a call. */
  status?: number | undefined;
  /** The platform's own word that it passes; only looked at for codes that are not in the tables. */
  isTransient?: boolean | undefined;
}

const known = new Map([...accountErrors, ...transientErrors, ...permanentErrors, ...templateErrors, ...recipientErrors, ...qualityErrors]);

/** What an error of the platform means: by its code and subcode, then by the HTTP status. Every error gets an answer. */
export function classify(error: ErrorToClassify): Classification {
  const code = String(error.code ?? "");
  return known.get(`${code}/${error.subcode ?? ""}`) ?? known.get(/^2\d\d$/.test(code) ? "200" : code) ?? unknownError(error);
}

function unknownError({ status, isTransient }: ErrorToClassify): Classification {
  if (isTransient === true || status === 429 || (status !== undefined && status >= 500)) {
    return {
      class: "transient",
      title: "The platform is busy",
      explanation: "The platform could not take the message just now, with a code that is new here.",
      resendHint: "Resend in a few minutes.",
    };
  }
  if (status === 401) {
    return {
      class: "account",
      title: "Not signed in at the platform",
      explanation: "The platform does not accept the access token. Enter a new one in the settings.",
      resendHint: "Resend once the connection test in the settings passes again.",
    };
  }
  return {
    class: "permanent",
    title: "Refused by the platform",
    explanation: "The platform refuses the message with a code that is new here. Its own words and the details say more.",
    resendHint: null,
  };
}
