import { isDropped, type NotificationStatus } from "../../core/message.ts";
import { readFailure } from "../../core/stored-failure.ts";
import { attempt } from "../../core/text.ts";
import { boundedText, idMember, member, textMember } from "../exchange.ts";
import type { Classification, Explanation } from "./error-class.ts";
import { knownErrors } from "./known-errors.ts";
import { localErrors, nothingToDo } from "./local-errors.ts";
import words from "./other-words.json" with { type: "json" };

/** An error of the platform, read from an answer (`{error: {…}}`) or from a status update (`errors[0]`). */
export interface ErrorFacts extends Classification {
  /** The platform's code as text, null when there is none. */
  code: string | null;
  /** For the log: the platform's message or title, then its details. */
  reason: string;
  /** The error as it came. */
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

/** Message errors have an `error_data` object, others sometimes plain text; template calls use `error_user_msg`. */
const detailsOf = (error: unknown): string | undefined =>
  textMember(member(error, "error_data"), "details") ??
  textMember(error, "error_data") ??
  textMember(error, "error_user_msg") ??
  textMember(error, "error_user_title");

/** Any member may be missing. */
interface ErrorToClassify {
  code?: string | number | null | undefined;
  subcode?: string | number | null | undefined;
  /** HTTP status, when the error came as the answer to a call. */
  status?: number | undefined;
  /** The platform's own flag; used only for codes that are not in the tables. */
  isTransient?: boolean | undefined;
}

const known = new Map(Object.values(knownErrors).flatMap((errors) => [...errors]));

/** Looks an error up by code and subcode, then by code, then by HTTP status. Every error gets a classification. */
export function classify(error: ErrorToClassify): Classification {
  const code = String(error.code ?? "");
  return known.get(`${code}/${error.subcode ?? ""}`) ?? known.get(/^2\d\d$/.test(code) ? "200" : code) ?? unknownError(error);
}

/** The codes that stop the whole account, as the log has them: the permission codes are 200 to 299. */
export const accountCodes: ReadonlySet<string> = new Set([
  ...[...knownErrors.account.keys()].filter((code) => !code.includes("/")),
  ...Array.from({ length: 100 }, (_, index) => String(200 + index)),
]);

function unknownError({ status, isTransient }: ErrorToClassify): Classification {
  const isPassing = isTransient === true || status === 429 || (status !== undefined && status >= 500);
  const name = isPassing ? "transient" : status === 401 ? "account" : "permanent";
  return { class: name, ...words.unknown[name] };
}

/** A failure in the log. */
export interface Failure {
  code: string;
  subcode: string | null;
}

/** Explains any code, including codes that are new here. */
export function explain({ code, subcode }: Failure): Explanation {
  const local = localErrors.get(code);
  if (local !== undefined) return local.explanation;
  const { explanation, resendHint, class: errorClass } = classifyLogged(code, subcode);
  return { text: explanation, action: resendHint ?? words.withoutResend[errorClass] };
}

/** The meaning of a failure's code, in a few words. */
export const titleOf = (code: string): string => localErrors.get(code)?.title ?? classify({ code }).title;

/** A message in its logged form. */
interface LoggedMessage {
  status: NotificationStatus;
  error_code: string;
  /** The reason. A cancelled message shows it instead of the general text, since it names the event that stopped it. */
  error_reason: string | null;
  /** The platform's error as JSON text. */
  error_detail: string | null;
}

/** Explains why a message failed or is no longer sent, and what to do. */
export function explainMessage({ status, error_code: code, error_reason: reason, error_detail }: LoggedMessage): Explanation {
  if (!isDropped(status)) return explain({ code, subcode: readStoredError(error_detail).subcode });
  const general = { ...explain({ code, subcode: null }), action: nothingToDo };
  return reason === null ? general : { ...general, text: reason, reasonCode: readFailure(code, reason) };
}

/**
 * The outlook of a resend.
 * - `helps`: may succeed
 * - `later`: depends on the recipient's side, so a person judges each message
 * - `futile`: fails in the same way
 */
export type ResendOutlook = "helps" | "later" | "futile";

export function resendOutlook({ code, subcode }: Failure): ResendOutlook {
  if (localErrors.has(code)) return toBeJudged.has(code) ? "later" : "helps";
  const { class: errorClass, resendHint } = classifyLogged(code, subcode);
  if (resendHint === null) return "futile";
  return errorClass === "permanent" || errorClass === "recipient" ? "later" : "helps";
}

/** Codes that a person has to judge: the message may have arrived, or the recipient does not want it. */
const toBeJudged = new Set(["in_doubt", "unexpected_answer", "interrupted", "recipient_opted_out"]);

/** Whether the message itself was at fault, so that a resend must be made anew from its event. */
export const isContentFailure = ({ code, subcode }: Failure): boolean =>
  localErrors.get(code)?.rebuild ?? classifyLogged(code, subcode).class === "permanent";

/** The codes of all other failures, as far as a code alone tells: a resend of these is a copy. */
export const copiedCodes: readonly string[] = [
  ...localErrors.keys(),
  ...known.keys(),
  ...accountCodes,
  ...Array.from({ length: 200 }, (_, index) => `http_${400 + index}`),
].filter((code) => !isContentFailure({ code, subcode: null }));

/** An answer without a code is logged as `http_<status>`. */
function classifyLogged(code: string, subcode: string | null) {
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  return status === undefined ? classify({ code, subcode }) : classify({ status: Number(status) });
}

/**
 * Reads `error_detail`, for people, who quote it to the platform's support: the error of an answer, or the errors of a status update, of which the first
 * counts. `title`: the platform's own title or message; `traceId`: `fbtrace_id`, which status updates do not have.
 */
export function readStoredError(json: string | null) {
  const stored = attempt((): unknown => JSON.parse(json ?? "null"), null);
  const error: unknown = Array.isArray(stored) ? stored[0] : stored;
  const data = member(error, "error_data");
  return {
    subcode: idMember(error, "error_subcode") ?? null,
    title: textMember(error, "title") ?? textMember(error, "message") ?? null,
    details: textMember(data, "details") ?? textMember(error, "error_data") ?? textMember(error, "error_user_msg") ?? null,
    traceId: idMember(error, "fbtrace_id") ?? null,
  };
}
