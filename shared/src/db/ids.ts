import { randomFillSync, hash } from "node:crypto";
import type { OrderReference } from "../core/event.ts";

const counterLimit = 0x1000;

/** Random bytes for many ids at once: a call to the system's random source costs more than the bytes. */
const pool = new Uint8Array(10 * 400);
let used = pool.length;

let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7 of this moment, greater than every earlier one of this process, even when the clock steps back: the 12 bits after the version count up within
 * a millisecond (RFC 9562, 6.2, method 1).
 */
export function newId(): string {
  const random = tenRandomBytes();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = random[0] ?? 0;
  } else {
    counter += 1;
    if (counter === counterLimit) {
      lastMs += 1;
      counter = 0;
    }
  }
  random[0] = counter >> 8;
  random[1] = counter;
  return uuidv7(lastMs, random);
}

const bytes = Buffer.alloc(16);

/**
 * A version 7 UUID (RFC 9562) in lower case.
 * @param ms Unix time in milliseconds, 0 to 2^48 - 1
 * @param random 10 bytes or more, of which 74 bits are used: the caller may keep ids of one millisecond in order with them
 */
export function uuidv7(ms: number, random: Uint8Array): string {
  bytes.writeUIntBE(ms, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function tenRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += 10));
}

/**
 * The id of a site's order, computed from the reference in the payload, so that no look-up is needed: the SHA-256 of the site's id and the hashed
 * reference (which may have any length), in the form of a UUID of version 8. A checkout's is made in the same way.
 */
export function orderId(siteId: string, { kind, value }: OrderReference | { kind: "checkout"; value: string }): string {
  // One character a byte: `hash` makes a text faster than a buffer.
  const reference = hash("sha256", `${kind}:${value}`, "binary");
  const hex = hash("sha256", Buffer.from(siteId + reference, "latin1"));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
