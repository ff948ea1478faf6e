import type { ErrorClass } from "../errors/error-class.ts";
import { readError } from "../errors/read-error.ts";
import { boundedId, boundedText } from "../http/bounded-text.ts";
import { idMember, listMember, textMember } from "../http/json-member.ts";
import { timeMember } from "./read-time.ts";

/** One message reached one state. Repeats and any order are normal. */
export interface StatusUpdate {
  waMessageId: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** When it happened, by the platform's clock; null when it does not say, or says nonsense. */
  at: Date | null;
  /** Digits without a plus; null when the platform hides the phone. */
  recipient: string | null;
  /** What we gave as `biz_opaque_callback_data`: see `parseReference`. */
  reference: string | null;
  /** Only of `failed`, and always there. */
  error: StatusError | null;
}

export interface StatusError {
  /** The platform's code, or `unknown`. */
  code: string;
  /** The platform's title or message, then its details. */
  reason: string;
  class: ErrorClass;
  stopsAccount: boolean;
  /** The platform's list of errors, as it came. */
  detail: unknown;
}

/** A voice message that was played has been read. */
const statuses = new Map<string, StatusUpdate["status"]>([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "read"],
  ["played", "read"],
  ["failed", "failed"],
]);

/** Null for a status that is new here, and for an item without a message id. */
export function readStatus(item: unknown): StatusUpdate | null {
  const waMessageId = textMember(item, "id");
  const status = statuses.get(textMember(item, "status")?.toLowerCase() ?? "");
  if (waMessageId === undefined || status === undefined) return null;
  return {
    waMessageId: boundedId(waMessageId),
    status,
    at: timeMember(item, "timestamp"),
    recipient: boundedOrNull(idMember(item, "recipient_id")),
    reference: boundedOrNull(textMember(item, "biz_opaque_callback_data")),
    error: status === "failed" ? readErrors(listMember(item, "errors")) : null,
  };
}

/** The first counts; all are kept. */
function readErrors(errors: unknown[]): StatusError {
  const { code, reason, class: errorClass } = readError(errors[0]);
  return { code: code ?? "unknown", reason, class: errorClass, stopsAccount: errorClass === "account", detail: errors };
}

function boundedOrNull(text: string | undefined): string | null {
  return text === undefined ? null : boundedText(text);
}
