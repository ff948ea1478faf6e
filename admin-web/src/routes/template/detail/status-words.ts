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
