import { daySeconds } from "../../core/durations.ts";

// The platform's codes with a wait of their own, which is never shortened. All other refusals that pass follow the queue's usual waits.

/** The number sends too fast: the message is tried again as the same attempt, and the number slows down. */
export const tooFastCode = "130429";
/** Too many messages to one phone, which is then left alone; at least 4^n seconds after the nth try. */
export const phoneTooFastCode = "131056";
export const phonePauseSeconds = 6;
/** Marketing messages of several businesses are held back from a person: once more after a day. */
export const marketingLimitCode = "131049";
/** The number is limited as possible spam: one of its messages is tried from time to time. */
export const spamCode = "131048";
/** The template is paused: until it is approved again, if that comes sooner. */
export const pausedCode = "132015";

/** No code: the number has reached its people of the day, so that marketing waits until its limit is read again. */
export const numberLimit = "number_limit";

const hourSeconds = 3_600;

/** The seconds for which a message that the platform refuses waits in the queue, also one whose event is answered. */
const heldSeconds: ReadonlyMap<string, number> = new Map([
  ["131064", hourSeconds],
  [spamCode, 4 * hourSeconds],
  [pausedCode, 3 * hourSeconds],
  ["134101", 600],
]);

/** Why a message waits, and for how long at least. */
export interface Hold {
  /** The platform's code; null where the message was not tried. */
  code: string | null;
  /** Whether it waits for room in the number's day. */
  isLimited?: boolean;
  seconds: number;
}

/** How a message waits after a refusal with this code; null for codes after which it does not. */
export function holdOf(code: string): (Hold & { code: string }) | null {
  const seconds = heldSeconds.get(code);
  return seconds === undefined ? null : { code, seconds };
}

/** The same for a message that the platform took first. */
export const holdOfReport = (code: string): (Hold & { code: string }) | null =>
  code === marketingLimitCode ? { code, seconds: daySeconds } : holdOf(code);

/** The wait, prolonged so that messages that were refused together are not tried again together. @param random From 0 to 1 */
export const prolonged = (seconds: number, random: number): number => Math.round(seconds * (1 + 0.2 * random));
