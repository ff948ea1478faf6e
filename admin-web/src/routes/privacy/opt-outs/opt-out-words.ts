import type { OptOutScope, OptOutSource } from "shared/core/message";

/** What somebody does not want. */
export const scopeWords: Record<OptOutScope, string> = { marketing: "marketing", all: "all messages" };

/** How it is known. */
export const sourceWords: Record<OptOutSource, string> = {
  preference: "chosen in the app",
  callback: "told by the platform after sending",
  refusal: "told by the platform when refusing",
  operator: "entered by an operator",
};
