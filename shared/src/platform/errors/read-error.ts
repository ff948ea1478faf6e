import { classify, type ErrorToClassify } from "../error-classes.ts";
import { boundedText } from "../http/bounded-text.ts";
import { idMember, member, textMember } from "../http/json-member.ts";
import type { Classification } from "./error-class.ts";

/** An error of the platform, read from an answer (`{error: {…}}`) or from a status update (`errors[0]`). */
export interface ErrorFacts extends Classification {
  /** The platform's code as text, null when there is none. */
  code: string | null;
  /** For the log: the platform's message or title, then its details. */
  reason: string;
  /** As it came. */
  detail: unknown;
}

const codeForm = /^-?\d{1,12}$/;

/** @param error Of any shape: members may be missing or of another type. */
export function readError(error: unknown, status?: number): ErrorFacts {
  const code = idMember(error, "code");
  const facts: ErrorToClassify = {
    code: code !== undefined && codeForm.test(code) ? code : null,
    subcode: idMember(error, "error_subcode"),
    status,
    isTransient: member(error, "is_transient") === true,
  };
  const classification = classify(facts);
  const reason = reasonOf(error) ?? (status === undefined ? classification.title : `${classification.title} (HTTP ${status})`);
  return { ...classification, code: facts.code === null ? null : String(facts.code), reason: boundedText(reason), detail: error };
}

function reasonOf(error: unknown): string | undefined {
  const words = typeof error === "string" ? error : (textMember(error, "message") ?? textMember(error, "title"));
  const details = detailsOf(error);
  const parts = [words, details].filter((part) => part !== undefined && part !== "");
  return parts.length === 0 ? undefined : [...new Set(parts)].join(": ");
}

/** `error_data` is an object for messages and has been seen as plain text elsewhere; template calls explain themselves in `error_user_msg`. */
function detailsOf(error: unknown): string | undefined {
  return (
    textMember(member(error, "error_data"), "details") ??
    textMember(error, "error_data") ??
    textMember(error, "error_user_msg") ??
    textMember(error, "error_user_title")
  );
}
