import type { Review, TemplateCategory, TemplateRecord } from "./record.ts";
import { variablesOf } from "./variables.ts";

/** What the name of a rejected template may end in to choose the reason; the platform's own list. */
const REASONS = [
  "ABUSIVE_CONTENT",
  "CATEGORY_NOT_AVAILABLE",
  "INCORRECT_CATEGORY",
  "INVALID_FORMAT",
  "PROMOTIONAL",
  "SCAM",
  "TAG_CONTENT_MISMATCH",
];

/**
 * How the review of a template will end. Names that begin with `reject_` are rejected, those that begin with `pending_` stay in review for ever,
 * and a UTILITY template whose name holds `promo` is approved as MARKETING, as the platform does since April 2025.
 */
export function planReview(record: TemplateRecord, at: number): Review | null {
  const { name, category } = record;
  if (name.startsWith("pending_")) return null;
  if (name.startsWith("reject_")) return { at, status: "REJECTED", category, rejectedReason: reasonIn(name) };
  if (looksBroken(record)) return { at, status: "REJECTED", category, rejectedReason: "INVALID_FORMAT" };
  const judged: TemplateCategory = category === "UTILITY" && name.includes("promo") ? "MARKETING" : category;
  return { at, status: "APPROVED", category: judged, rejectedReason: "NONE" };
}

/** The record once its review is over. */
export function afterReview(record: TemplateRecord, review: Review): TemplateRecord {
  return {
    ...record,
    status: review.status,
    category: review.category,
    previousCategory: review.category === record.category ? record.previousCategory : record.category,
    rejectedReason: review.rejectedReason,
    everApproved: record.everApproved || review.status === "APPROVED",
    updatedAt: review.at,
    review: null,
  };
}

function reasonIn(name: string): string {
  return REASONS.find((reason) => name.toUpperCase().endsWith(reason)) ?? "INVALID_FORMAT";
}

// What the platform takes at first and rejects in review: variables that touch, and named ones that were not announced as such.
function looksBroken({ components, parameterFormat }: TemplateRecord): boolean {
  return components.some((component) => {
    if (component.type !== "BODY" && !(component.type === "HEADER" && component.format === "TEXT")) return false;
    const unannounced = parameterFormat === "POSITIONAL" && variablesOf(component.text).some((name) => !/^\d+$/.test(name));
    return component.text.includes("}}{{") || unannounced;
  });
}
