import { randomBytes } from "node:crypto";
import { uuidv7 } from "../core/uuid.ts";

const COUNTER_LIMIT = 0x1000;

let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7 of this moment, greater than every one this process made before: the 12 bits after the version count up
 * within a millisecond (RFC 9562, 6.2, method 1), and a clock that steps back does not take the ids with it.
 */
export const newId = (): string => {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = randomBytes(1).readUInt8();
  } else {
    counter += 1;
    if (counter === COUNTER_LIMIT) {
      lastMs += 1;
      counter = 0;
    }
  }
  const random = randomBytes(10);
  random.writeUInt16BE(counter, 0);
  return uuidv7(lastMs, random);
};
