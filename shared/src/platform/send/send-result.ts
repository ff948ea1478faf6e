import type { ErrorClass } from "../errors/error-class.ts";

/** How handing over one message ended. */
export type SendResult = Accepted | Refused | InDoubt | UnexpectedAnswer | DeadlineReached;

export interface Accepted {
  kind: "accepted";
  waMessageId: string;
}

/** The platform said no, in so many words. */
export interface Refused {
  kind: "refused";
  /** The platform's code as text, or `http_<status>` for an answer without one. */
  code: string;
  /** The platform's message or title, then its details. */
  reason: string;
  class: ErrorClass;
  /** When a resend makes sense, in plain language; null when it never does. */
  resendHint: string | null;
  /** The platform's whole error, as it came. */
  detail: unknown;
  stopsAccount: boolean;
}

/** The message may or may not have been taken: it must not be sent again by itself. */
export interface InDoubt {
  kind: "in_doubt";
  reason: string;
}

/** A success that names no message. */
export interface UnexpectedAnswer {
  kind: "unexpected_answer";
  reason: string;
}

/** Time ran out before the platform got the message. */
export interface DeadlineReached {
  kind: "deadline";
  reason: string;
  /** Why the tries before failed, if there were any. */
  lastError?: string | undefined;
}
