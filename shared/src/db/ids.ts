import { randomFillSync, hash } from "node:crypto";
import type { OrderReference } from "../core/event.ts";
import { uuidv7 } from "../core/uuid.ts";

const COUNTER_LIMIT = 0x1000;

/** The system's random source is asked for many ids at once: asking costs more than the bytes. */
const pool = new Uint8Array(10 * 400);
let used = pool.length;

let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7 of this moment, greater than every one this process made before: the 12 bits after the version count up
 * within a millisecond (RFC 9562, 6.2, method 1), and a clock that steps back does not take the ids with it.
 */
export const newId = (): string => {
  const random = tenRandomBytes();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = random[0] ?? 0;
  } else {
    counter += 1;
    if (counter === COUNTER_LIMIT) {
      lastMs += 1;
      counter = 0;
    }
  }
  random[0] = counter >> 8;
  random[1] = counter;
  return uuidv7(lastMs, random);
};

function tenRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += 10));
}

/**
 * The id of a site's order, which follows from how payloads name it, so that an event knows its order's id without asking for it: SHA-256 of the
 * site's id and of the reference (itself hashed: it may be of any length), dressed as a UUID of version 8.
 */
export function orderId(siteId: string, { kind, value }: OrderReference): string {
  const reference = hash("sha256", `${kind}:${value}`, "buffer");
  const hex = hash("sha256", Buffer.concat([Buffer.from(siteId), reference]));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
