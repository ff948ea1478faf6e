import type { MessageComponent } from "../core/template/component.ts";
import type { PlatformClient } from "./client.ts";
import type { PlatformCredentials } from "./credentials.ts";
import { backoff } from "./send/backoff.ts";
import { realPace, type Pace } from "./send/pace.ts";
import { readSendAnswer, type Attempt } from "./send/read-send-answer.ts";
import type { SendResult } from "./send/send-result.ts";

export interface TemplateMessage {
  /** E.164, with the plus: without it the platform takes the number for one of the sender's own country. */
  to: string;
  template: string;
  /** The platform's language code, such as `en_US`. */
  language: string;
  components: readonly MessageComponent[];
  /** Comes back in every status update; see `encodeReference`. */
  reference: string;
}

export interface SendOptions {
  /** An instant of `performance.now()`: whatever is under way is cut off then, and counts as in doubt. */
  deadline: number;
  /** An instant of `performance.now()`: from then on no try starts. The deadline, unless it is earlier. */
  startBy?: number | undefined;
  /** Cuts off at once, like the deadline. */
  signal?: AbortSignal | undefined;
  pace?: Pace | undefined;
}

/** A refusal is tried this often in all; a platform that cannot be reached, until time is up. */
const triesAfterRefusals = 5;

/** A retry that the deadline would probably cut off trades a plain refusal for a doubt. */
const roomForRetryMs = 1_000;

/** Hands one message to the platform: tries again, with backoff, what certainly was not sent and may yet succeed. Never throws. */
export async function sendTemplate(
  client: PlatformClient,
  credentials: PlatformCredentials,
  message: TemplateMessage,
  options: SendOptions,
): Promise<SendResult> {
  const pace = options.pace ?? realPace;
  const startBy = Math.min(options.deadline, options.startBy ?? Infinity);
  const failures: Attempt[] = [];
  while (pace.now() < startBy && options.signal?.aborted !== true) {
    const attempt = readSendAnswer(await client.call(sendCall(credentials, message, options)));
    if (attempt.kind !== "not_sent" && !mayPass(attempt)) return attempt;
    failures.push(attempt);
    const pause = backoff(attempt, failures.length - 1, pace.random());
    if (pace.now() + pause >= Math.min(startBy, options.deadline - roomForRetryMs) || refusals(failures) >= triesAfterRefusals) break;
    await pace.sleep(pause, options.signal);
  }
  return outOfTime(failures);
}

function sendCall(credentials: PlatformCredentials, message: TemplateMessage, options: SendOptions) {
  const { template: name, language: code, components } = message;
  return {
    method: "POST" as const,
    path: `/${encodeURIComponent(credentials.apiVersion)}/${encodeURIComponent(credentials.phoneNumberId)}/messages`,
    accessToken: credentials.accessToken,
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: message.to,
      type: "template",
      biz_opaque_callback_data: message.reference,
      template: { name, language: { code }, ...(components.length > 0 && { components }) },
    },
    startBy: options.startBy,
    cutAt: options.deadline,
    signal: options.signal,
  };
}

function mayPass(attempt: Attempt): boolean {
  return attempt.kind === "refused" && attempt.class === "transient";
}

function refusals(failures: readonly Attempt[]): number {
  return failures.filter((failure) => failure.kind === "refused").length;
}

/** The platform's own last word says more than "too late", when there was one. */
function outOfTime(failures: readonly Attempt[]): SendResult {
  const refused = failures.findLast((failure) => failure.kind === "refused");
  if (refused !== undefined) return refused;
  const last = failures.at(-1);
  const lastError = last?.kind === "not_sent" ? last.reason : undefined;
  return { kind: "deadline", reason: "The message could not be handed to the platform in time", lastError };
}
