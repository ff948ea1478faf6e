import type { IncomingHttpHeaders } from "node:http";
import { outcome } from "shared/core/event";
import type { Plan, PlannedMessage } from "shared/core/plan";

/** A request of the right path and method. Nothing in it has been verified yet. */
export interface RawRequest {
  headers: IncomingHttpHeaders;
  /** The path's two values, decoded and not yet judged. */
  source: string;
  event: string;
  /** When the request's headers had arrived. */
  receivedAt: Date;
  /** The exact bytes of the body. Rejects with `body_too_large` over the cap. */
  readBody(): Promise<Buffer>;
  /** Set once it is counted as valid. A set of such requests would cost each garbage collection more than they do. */
  isCounted?: boolean;
  /** Called with the event's id once it is stored. */
  onStored?: (eventId: string) => void;
}

/** A request to a shop's address. Nothing in it has been verified yet. */
export interface ShopRequest extends Omit<RawRequest, "source" | "event"> {
  /** The token of the path, not yet judged. */
  token: string;
}

/** A header's value; an empty one counts as absent. */
export function header(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  const text = Array.isArray(value) ? value.join(", ") : value;
  return text === undefined || text === "" ? null : text;
}

/** A message that goes to the platform, as opposed to one that is only logged as failed. */
export const isSendable = (message: PlannedMessage): boolean => message.failure === null;

/** The parts of an event that decide when its messages leave. */
interface Departure {
  /** The caller does not wait for the platform. */
  queued: boolean;
  site: { holdMessages: boolean };
}

/** A message that goes to the platform, but not with its event: the queue sends it. */
export const waits = (message: PlannedMessage, { queued, site }: Departure): boolean =>
  message.failure === null && (queued || site.holdMessages || Boolean(message.timing?.dueAt));

export interface EventKey {
  site_id: string;
  id: string;
}

/** Whether a message is handed over while the request waits. */
export const leavesNow = (one: { message: PlannedMessage; waits: boolean }): boolean => !one.waits && isSendable(one.message);

export const leavingNow = <Message extends { message: PlannedMessage; waits: boolean }>(messages: readonly Message[]): Message[] =>
  messages.filter(leavesNow);

/** The answer's `chat` when it is known before the platform is asked, else null. In a dry run: what live would answer if it accepted every message. */
export function decidedOutcome(planned: Plan, event: Departure & { dryRun: boolean }): string | null {
  if (planned.skip) return planned.skip;
  const waiting = planned.messages.filter((message) => waits(message, event)).length;
  const now = planned.messages.filter(isSendable).length - waiting;
  if (now > 0 && !event.dryRun) return null;
  if (waiting > 0 && event.queued) return "accepted";
  const failed = planned.messages.length - now - waiting;
  return waiting > 0 && now + failed === 0 ? "scheduled" : outcome(now, failed);
}
