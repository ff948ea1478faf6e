import { randomFillSync } from "node:crypto";
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
