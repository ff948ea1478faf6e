import { randomInt } from "node:crypto";

/** An id like the platform's: digits only, small enough to be an exact number in JSON. */
export function randomId(digits = 15): string {
  return String(randomInt(1, 10)) + randomDigits(digits - 1);
}

export function randomDigits(count: number): string {
  return Array.from({ length: count }, () => randomInt(0, 10)).join("");
}
