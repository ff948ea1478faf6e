import type { TemplateStatus } from "shared/core/template/definition";

interface StatusWords {
  color: string;
  title: string;
  /** What it means, and what to do. */
  text: string;
}

/** An approved one needs none. */
export const statusWords: Record<Exclude<TemplateStatus, "approved">, StatusWords> = {
  draft: { color: "gray", title: "A draft", text: "It exists here only. Nobody can be sent it before the platform has approved it." },
  pending: {
    color: "blue",
    title: "In review",
    text: "The platform is reading it, mostly for minutes and at most for a day. The decision shows here by itself.",
  },
  rejected: { color: "red", title: "The platform rejected it", text: "Change what it objects to, and submit it again as often as needed." },
  paused: {
    color: "yellow",
    title: "The platform paused it",
    text:
      "Too many recipients blocked or reported it, and its messages fail meanwhile. A first pause ends by itself after 3 hours, a second after 6; " +
      "a third disables the template. Until then, send it only to people who expect it, or bind a clearer text.",
  },
  disabled: {
    color: "red",
    title: "The platform disabled it",
    text: "Its messages fail, and it cannot be changed. Duplicate it under another name with a better text, and give that to its bindings.",
  },
};

/** The platform's word for why, and what it means. */
const rejections: Record<string, string> = {
  INVALID_FORMAT: "Its form is wrong: look at the variables, their numbers and examples, and for odd characters.",
  PROMOTIONAL: "It advertises: take out what sells, or make it a marketing template.",
  INCORRECT_CATEGORY: "The text does not fit its category: choose the other one, or change the text.",
  TAG_CONTENT_MISMATCH: "The text does not fit its language or category: choose those that it is written for.",
  CATEGORY_NOT_AVAILABLE: "The business account may not use this category: choose the other one.",
  SCAM: "It looks like fraud to the platform: say who you are and what it is about, and link to your own site only.",
  ABUSIVE_CONTENT: "The platform finds it abusive or threatening: word it more kindly.",
};

/** A reason begins with its word, and may go on in the platform's own. */
export const rejectionAdvice = (reason: string): string | undefined => rejections[reason.split(":", 1)[0] ?? ""];
