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
