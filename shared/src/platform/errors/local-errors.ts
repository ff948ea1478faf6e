import type { Explanation } from "./error-class.ts";
import table from "./local-errors.json" with { type: "json" };

/** A failure that Tidings itself finds. `rebuild`: the message is at fault or was never made, so a resend makes it anew from the event. */
interface LocalError {
  title: string;
  explanation: Explanation;
  rebuild: boolean;
}

/** About a message that was left unsent on purpose, which cannot be resent. */
export const nothingToDo = "You do not need to do anything.";

const texts: Readonly<Record<string, { rebuild: boolean; title: string; text: string; action?: string }>> = table;

/** Every code of our own, by the log's `errorCode`. */
export const localErrors: ReadonlyMap<string, LocalError> = new Map(
  Object.entries(texts).map(([code, { rebuild, title, text, action = nothingToDo }]) => [
    code,
    { title, explanation: { text, action }, rebuild },
  ]),
);
