import { randomInt } from "node:crypto";

export const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` letters and digits (5.95 bits each) from the system's random source. `randomInt` rejects rather than wraps, so none is likelier than another. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => lettersAndDigits.charAt(randomInt(lettersAndDigits.length))).join("");
