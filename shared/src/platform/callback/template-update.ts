import type { TemplateStatus } from "../../core/template/definition.ts";
import { boundedText } from "../http/bounded-text.ts";
import { idMember, member, textMember } from "../http/json-member.ts";
import { knownTemplateStatus } from "../template/status.ts";

/** What changed about one template: members that did not change are null. It is found by its platform id, else by name and language. */
export interface TemplateUpdate {
  /** When the platform told it, by its own clock; null when it does not say. */
  at: Date | null;
  platformId: string | null;
  name: string | null;
  /** With an underscore: `en_US`. */
  language: string | null;
  status: TemplateStatus | null;
  /** Belongs to `status`: why it is not approved, in the platform's words. */
  reason: string | null;
  /** Upper case, such as `GREEN`. */
  quality: string | null;
  /** Upper case, such as `MARKETING`: the category that now counts. */
  category: string | null;
  /** Its texts or buttons changed, or something that has no name here: only the platform's list tells what it is like now. */
  needsLook: boolean;
}

/**
 * @param change `{field, value}`; null when its value tells nothing about a template.
 * @param at When the platform told it.
 */
export function readTemplateUpdate(change: unknown, at: Date | null): TemplateUpdate | null {
  const value = member(change, "value");
  const platformId = idMember(value, "message_template_id");
  const name = textMember(value, "message_template_name");
  const event = textMember(value, "event") ?? "";
  // An event that is new here need not be bad news: the next poll tells.
  const status = knownTemplateStatus(event);
  const quality = textMember(value, "new_quality_score");
  const category = textMember(value, "new_category") ?? textMember(value, "message_template_category");
  const needsLook =
    (event !== "" && status === undefined) ||
    undecided.has(event.toUpperCase()) ||
    isOtherUnpause(value, status) ||
    textKeys.some((key) => hasMember(value, key));
  if ((platformId ?? name) === undefined || ((status ?? quality ?? category) === undefined && !needsLook)) return null;
  return {
    at,
    platformId: clean(platformId),
    name: clean(name),
    language: clean(textMember(value, "message_template_language")?.replaceAll("-", "_")),
    status: status ?? null,
    reason: status === undefined || status === "approved" ? null : reasonOf(change),
    quality: clean(quality?.toUpperCase()),
    category: clean(category?.toUpperCase()),
    needsLook,
  };
}

/** What the platform tells of an edit: texts, and no more of buttons than their labels. */
const textKeys = ["title", "element", "footer", "buttons"].map((part) => `message_template_${part}`);

/** Events that do not say what they lead to. */
const undecided = new Set(["UNARCHIVED", "LOCKED", "REINSTATED"]);

/** The end of a pause that calls itself by another event. */
const isOtherUnpause = (value: unknown, status: TemplateStatus | undefined): boolean =>
  status !== "approved" && textMember(member(value, "other_info"), "title")?.toUpperCase() === "UNPAUSE";

const hasMember = (value: unknown, key: string): boolean => member(value, key) !== undefined;

function reasonOf(change: unknown): string | null {
  const value = member(change, "value");
  const info = member(value, "rejection_info") ?? member(change, "rejection_info");
  const other = member(value, "other_info");
  const words = [
    textMember(value, "reason"),
    textMember(other, "title"),
    textMember(other, "description"),
    textMember(info, "reason"),
    textMember(info, "recommendation"),
  ].filter((word) => word !== undefined && word !== "NONE");
  return words.length === 0 ? null : boundedText([...new Set(words)].join(": "));
}

function clean(text: string | undefined): string | null {
  return text === undefined ? null : boundedText(text);
}
