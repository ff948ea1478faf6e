import table from "./local-errors.json" with { type: "json" };

/** About a message that was left unsent on purpose, which cannot be resent. */
export const nothingToDo = "You do not need to do anything.";

const texts: Readonly<Record<string, { rebuild: boolean; title: string; text: string; action?: string }>> = table;

/** The failures that Tidings itself finds, by the log's `errorCode`. `rebuild`: the message is at fault or was never made, so a resend makes it anew. */
export const localErrors = new Map(
  Object.entries(texts).map(([code, { rebuild, title, text, action = nothingToDo }]) => [
    code,
    { title, explanation: { text, action }, rebuild },
  ]),
);
