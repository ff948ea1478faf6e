import type { IncomingHttpHeaders } from "node:http";
import type { PlannedMessage } from "shared/core/plan";

/** A request of the right path and method. Nothing in it has been believed yet. */
export interface RawRequest {
  headers: IncomingHttpHeaders;
  /** The path's two values, decoded and not yet judged. */
  source: string;
  event: string;
  /** When the request's headers had arrived. */
  receivedAt: Date;
  /** The exact bytes of the body. Rejects with `body_too_large` over the cap. */
  readBody(): Promise<Buffer>;
}

/** A header's value; an empty one counts as absent. */
export function header(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  const text = Array.isArray(value) ? value.join(", ") : value;
  return text === undefined || text === "" ? null : text;
}

/** How many messages of an event are handed over at once; a crash leaves no more than these in doubt. */
export const waveSize = 20;

/** A message that goes to the platform, as opposed to one that is only logged as failed. */
export const isSendable = (message: PlannedMessage): boolean => message.failure === null;
