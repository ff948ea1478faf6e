import { type JsonObject, lookUp, textOf } from "./json.ts";
import { storableText } from "./text.ts";

export type HeaderUse = "key" | "signature" | "shown" | "plain";

const eventHeader = (written: string, use: HeaderUse) => ({ written, name: written.toLowerCase(), use });

/**
 * The headers of an event on its site's own path, in the order of CORS. The log has no `key` and no `signature`; of a refused request people see what is
 * `shown`, and how a signature begins.
 */
export const eventHeaders = {
  contentType: eventHeader("Content-Type", "plain"),
  siteKey: eventHeader("X-Service-Site-Key", "key"),
  signature: eventHeader("X-Service-Signature", "signature"),
  timestamp: eventHeader("X-Service-Timestamp", "shown"),
  idempotencyKey: eventHeader("X-Service-Idempotency-Key", "shown"),
  mode: eventHeader("X-Service-Mode", "shown"),
  prefer: eventHeader("Prefer", "plain"),
  standardId: eventHeader("webhook-id", "shown"),
  standardTimestamp: eventHeader("webhook-timestamp", "shown"),
  standardSignature: eventHeader("webhook-signature", "signature"),
};

/** Without the `u` flag, `i` stays within ASCII: the Kelvin sign, for one, is no k. */
const namePattern = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;

/** The event name in lower case, or null when it is none: dotted parts of `a-z 0-9 _ -`, 1 to 128 characters in all. */
export const parseEventName = (text: string): string | null => (text.length <= 128 && namePattern.test(text) ? text.toLowerCase() : null);

/** How a payload names its order. An id and a number of the same text are two orders. */
export interface OrderReference {
  kind: "id" | "number";
  /** Any text as the sender wrote it, of any length: hash it before it becomes a key. */
  value: string;
}

/** `order.id`, else `order.number`; null when the payload names no order. */
export function orderReference(payload: JsonObject): OrderReference | null {
  const id = textOf(lookUp(payload, "order.id"));
  if (id !== undefined) return { kind: "id", value: id };
  const number = textOf(lookUp(payload, "order.number"));
  return number === undefined ? null : { kind: "number", value: number };
}

/** The facts that the order's row holds, each null if the payload leaves it out. */
export type OrderSummary = Record<"externalId" | "number" | "status" | "total" | "currency", string | null>;

/** The order's fields as texts that PostgreSQL can store. */
export function orderSummary(payload: JsonObject): OrderSummary {
  const field = (path: string): string | null => {
    const text = textOf(lookUp(payload, path));
    return text === undefined ? null : storableText(text);
  };
  return {
    externalId: field("order.id"),
    number: field("order.number"),
    status: field("order.status"),
    total: field("order.total"),
    currency: field("order.currency"),
  };
}

const sourcePattern = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether `text` can name the platform that an event comes from, the path's `{source}`. */
export const isSource = (text: string): boolean => sourcePattern.test(text);

/** Whether an event only tries the set-up, so that only the site's test phone gets it. `name` is the path's, in lower case. */
export function isTestEvent(name: string, payload: JsonObject): boolean {
  if (name === "test" || lookUp(payload, "test") === true) return true;
  const own = lookUp(payload, "event");
  return typeof own === "string" && own.toLowerCase() === "test";
}

/** The outcome of an event by its recipients' counts. For an event without recipients see `Plan.skip`. */
export function outcome(sent: number, failed: number): "sent" | "partial" | "failed" {
  if (sent === 0) return "failed";
  return failed === 0 ? "sent" : "partial";
}

/** The outcomes of stored events, as their `chat` holds them; the skips are reasons why nothing was sent. */
export const eventOutcomes = [
  "sent",
  "partial",
  "failed",
  "scheduled",
  "accepted",
  "no_bindings",
  "skipped_conditions",
  "skipped_no_config",
  "skipped_no_phone",
] as const;
export type EventOutcome = (typeof eventOutcomes)[number];
