import type { TemplateStatus } from "shared/core/template/definition";
import { LabelBadge } from "./status-badge.tsx";

/** A category as it is read: `UTILITY` is Utility. */
export const categoryName = (category: string): string => category.charAt(0) + category.slice(1).toLowerCase();

const words: Record<string, { color: string; word: string; meaning: string }> = {
  GREEN: { color: "teal", word: "high", meaning: "Recipients rarely block or report it." },
  YELLOW: { color: "yellow", word: "medium", meaning: "Some recipients block or report it. If more do, the platform pauses it." },
  RED: { color: "red", word: "low", meaning: "Many recipients block or report it: the platform may pause it any time." },
};

/** The platform's score of a template, by how recipients take it; nothing before it has one. */
export function QualityBadge({ quality }: { quality: string | null }) {
  const known = words[quality ?? ""];
  if (known === undefined) return null;
  return (
    <span title={known.meaning}>
      <LabelBadge color={known.color}>{known.word}</LabelBadge>
    </span>
  );
}

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

/** While a template is in review: how soon its decision is seen. */
export const reviewMs = 3_000;

const colors: Record<TemplateStatus, string> = {
  draft: "gray",
  pending: "blue",
  approved: "teal",
  rejected: "red",
  paused: "yellow",
  disabled: "red",
};

/** A template's status. */
export function TemplateStatusBadge({ status }: { status: TemplateStatus }) {
  return <LabelBadge color={colors[status]}>{status}</LabelBadge>;
}
