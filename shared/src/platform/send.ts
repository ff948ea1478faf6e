import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { isE164 } from "../core/phone.ts";
import { describeReason } from "../core/reason.ts";
import { noComponents } from "../core/template/message.ts";
import { memoize } from "../core/text.ts";
import { storedText } from "../core/wording.ts";
import type { PlatformCall, PlatformClient, PlatformCredentials } from "./client.ts";
import { type ErrorFacts, readError } from "./errors/classify.ts";
import { slowDownCodes } from "./errors/known-errors.ts";
import { holdOf, phoneTooFastCode } from "./errors/waits.ts";
import { type Answer, boundedId, boundedText, listMember, member, textMember } from "./exchange.ts";

export type SendResult =
  | Accepted
  | Refused
  /** The message may or may not have been accepted, so it must not be repeated automatically. */
  | { kind: "in_doubt"; reason: string }
  /** A success without a message id. */
  | { kind: "unexpected_answer"; reason: string }
  /** Time ran out before the message was sent. `lastError`: the reason why the last try failed, if there was one. */
  | { kind: "deadline"; reason: string; lastError?: string | undefined };

export interface Accepted {
  kind: "accepted";
  waMessageId: string;
  /** Whether the platform holds the message back to judge its template. */
  isHeld?: boolean;
}

interface Refused extends Pick<ErrorFacts, "reason" | "class" | "resendHint" | "detail"> {
  kind: "refused";
  /** The platform's code as text, or `http_<status>` for an answer without one. */
  code: string;
}

export interface TemplateMessage {
  /** E.164 with the plus: without it the platform assumes the sender's country. */
  to: string;
  template: string;
  /** The platform's language code, such as `en_US`. */
  language: string;
  /** JSON of a list of `MessageComponent`. */
  components: string;
  /** Comes back in every status update; see `encodeReference`. */
  reference: string;
  /** The usual one by default. */
  route?: Route | undefined;
  /** The template itself, for a sandbox that need not know it. */
  sandboxTemplate?: object | undefined;
}

/** The platform's endpoints for messages: the second takes marketing templates alone. */
export type Route = "messages" | "marketing_messages";

export interface SendOptions {
  /** An instant of `performance.now()`: a call under way is cut off then and counts as in doubt. */
  deadline: number;
  /** An instant of `performance.now()`: no try starts after it. The deadline by default. */
  startBy?: number | undefined;
  /** Awaited before each try; false: no slot is left. */
  slot?: (() => Promise<boolean>) | undefined;
  /** True if a refusal is not tried again here, whatever it says: the queue does so later. */
  once?: boolean | undefined;
  pace?: Pace | undefined;
}

/** Most tries after refusals. An unreachable platform is tried until time is up. */
const triesAfterRefusals = 5;

/** A retry with less time than this could be cut off, and turn a refusal into a doubt. */
const roomForRetryMs = 1_000;

/** Sends one message. Retries with backoff if it was certainly not sent and may succeed. Never throws. */
export async function sendTemplate(
  client: PlatformClient,
  credentials: PlatformCredentials,
  message: TemplateMessage,
  options: SendOptions,
): Promise<SendResult> {
  // The platform takes a user id there too, and never delivers the message.
  if (!isE164(message.to)) return refusal(400, { error: { code: notPhoneCode, message: notPhone } });
  const pace = options.pace ?? realPace;
  const startBy = Math.min(options.deadline, options.startBy ?? Infinity);
  const failures: Attempt[] = [];
  while (pace.now() < startBy) {
    if (options.slot !== undefined && !(await options.slot())) break;
    const attempt = readSendAnswer(await client.call(sendCall(credentials, message, options)));
    if (attempt.kind !== "not_sent" && (options.once === true || !mayPass(attempt))) return attempt;
    failures.push(attempt);
    const pause = backoff(attempt, failures.length - 1, pace.random());
    if (pace.now() + pause >= Math.min(startBy, options.deadline - roomForRetryMs) || refusals(failures) >= triesAfterRefusals) break;
    await pace.sleep(pause);
  }
  return outOfTime(failures);
}

/** The platform's code for a value that it does not accept. */
const notPhoneCode = "131009";
const notPhone = storedText("The recipient is no phone number, such as a user id of WhatsApp, so nothing was sent");

const sendCall = (credentials: PlatformCredentials, message: TemplateMessage, { startBy, deadline: cutAt }: SendOptions): PlatformCall => ({
  method: "POST",
  path: messagesPath(credentials) + (message.route ?? "messages"),
  accessToken: credentials.accessToken,
  body: sendBody(message),
  startBy,
  cutAt,
});

const messagesPath = memoize(
  ({ apiVersion, phoneNumberId }: PlatformCredentials): string =>
    `/${encodeURIComponent(apiVersion)}/${encodeURIComponent(phoneNumberId)}/`,
);

/** The call's body as JSON, of which the components are written already. */
function sendBody({ to, reference, template, language, components, sandboxTemplate }: TemplateMessage): string {
  const content = components === noComponents ? "" : `,"components":${components}`;
  const own = sandboxTemplate === undefined ? "" : `"_sandbox":${JSON.stringify(sandboxTemplate)},`;
  return `{${own}"messaging_product":"whatsapp","recipient_type":"individual","to":${JSON.stringify(to)},"type":"template","biz_opaque_callback_data":${JSON.stringify(reference)},"template":{"name":${JSON.stringify(template)},"language":{"code":${JSON.stringify(language)}}${content}}}`;
}

const mayPass = (attempt: Attempt): boolean => attempt.kind === "refused" && attempt.class === "transient" && holdOf(attempt.code) === null;

const refusals = (failures: readonly Attempt[]): number => failures.filter((failure) => failure.kind === "refused").length;

/** The result when time is over: the platform's last refusal, which says more than "too late". */
function outOfTime(failures: readonly Attempt[]): SendResult {
  const refused = failures.findLast((failure) => failure.kind === "refused");
  if (refused !== undefined) return refused;
  const last = failures.at(-1);
  const lastError = last?.kind === "not_sent" ? last.reason : undefined;
  return { kind: "deadline", reason: storedText("The message could not be handed to the platform in time"), lastError };
}

const firstMs = 250;
const throttledMs = 1_000;
const longestMs = 4_000;

/**
 * Milliseconds to wait after a failed try.
 * @param retry 0 before the first retry.
 * @param chance From 0 up to 1; spreads the retries of messages that failed together.
 */
function backoff(attempt: Attempt, retry: number, chance: number): number {
  const code = attempt.kind === "refused" ? attempt.code : null;
  // The platform's rule for one recipient: at least 4^n seconds.
  if (code === phoneTooFastCode) return 1_000 * 4 ** retry * (1 + chance / 10);
  const base = code !== null && slowDownCodes.has(code) ? throttledMs : firstMs;
  return Math.min(longestMs, base * 2 ** retry) * (0.5 + chance / 2);
}

/** The outcome of one try; `not_sent` is safe to repeat. */
type Attempt = Exclude<SendResult, { kind: "deadline" }> | { kind: "not_sent"; reason: string };

function readSendAnswer(answer: Answer): Attempt {
  switch (answer.kind) {
    case "not_sent":
      return { kind: "not_sent", reason: boundedText(answer.reason) };
    case "lost":
      return { kind: "in_doubt", reason: boundedText(describeReason({ code: "in_doubt", cause: answer.reason })) };
    case "answered":
      return readStatus(answer.status, answer.json);
  }
}

function readStatus(status: number, json: object | undefined): Attempt {
  if (status >= 400 && (json !== undefined || status < 500)) return refusal(status, json);
  // An edge server answered in place of the platform, which may have accepted the message.
  if (status >= 500)
    return { kind: "in_doubt", reason: describeReason({ code: "in_doubt", cause: `HTTP ${status} without an answer of its own` }) };
  const message = status < 300 ? listMember(json, "messages")[0] : undefined;
  const waMessageId = textMember(message, "id");
  const isHeld = textMember(message, "message_status")?.toLowerCase() === "held_for_quality_assessment";
  if (waMessageId !== undefined) return { kind: "accepted", waMessageId: boundedId(waMessageId), ...(isHeld && { isHeld }) };
  const error = member(json, "error");
  const words = error === undefined ? "" : readError(error).reason;
  return { kind: "unexpected_answer", reason: describeReason({ code: "unexpected_answer", status: String(status), words }) };
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
  };
}

/** Time and randomness, which tests replace. */
export interface Pace {
  /** Milliseconds of a clock that only moves forward; `performance.now()`. */
  now(): number;
  /** From 0 up to but not including 1. */
  random(): number;
  sleep(ms: number): Promise<unknown>;
}

const realPace: Pace = { now: () => performance.now(), random: Math.random, sleep: wait };
