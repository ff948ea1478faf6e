import { readError } from "../errors/read-error.ts";
import type { Answer } from "../http/answer.ts";
import { boundedId, boundedText } from "../http/bounded-text.ts";
import { listMember, member, textMember } from "../http/json-member.ts";
import type { Refused, SendResult } from "./send-result.ts";

/** What one try to send came to; `not_sent` is safe to try again. */
export type Attempt = Exclude<SendResult, { kind: "deadline" }> | { kind: "not_sent"; reason: string };

export function readSendAnswer(answer: Answer): Attempt {
  switch (answer.kind) {
    case "not_sent":
      return { kind: "not_sent", reason: boundedText(answer.reason) };
    case "lost":
      return { kind: "in_doubt", reason: boundedText(`The platform may have taken the message: ${answer.reason}.`) };
    case "answered":
      return readStatus(answer.status, answer.json);
  }
}

function readStatus(status: number, json: object | undefined): Attempt {
  if (status >= 400 && (json !== undefined || status < 500)) return refusal(status, json);
  // An edge server in between gave up on an answer: what happened behind it nobody can tell.
  if (status >= 500)
    return { kind: "in_doubt", reason: `The platform may have taken the message: HTTP ${status} without an answer of its own.` };
  const waMessageId = status < 300 ? textMember(listMember(json, "messages")[0], "id") : undefined;
  if (waMessageId !== undefined) return { kind: "accepted", waMessageId: boundedId(waMessageId) };
  const error = member(json, "error");
  const words = error === undefined ? "" : ` It says: ${readError(error).reason}`;
  return { kind: "unexpected_answer", reason: `The platform answered HTTP ${status} without a message id.${words}` };
}

function refusal(status: number, json: object | undefined): Refused {
  const { code, reason, class: errorClass, resendHint, detail } = readError(member(json, "error"), status);
  return {
    kind: "refused",
    code: code ?? `http_${status}`,
    reason,
    class: errorClass,
    resendHint,
    detail: detail ?? json ?? null,
    stopsAccount: errorClass === "account",
  };
}
