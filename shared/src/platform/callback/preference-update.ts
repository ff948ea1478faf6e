import { boundedText } from "../http/bounded-text.ts";
import { idMember, textMember } from "../http/json-member.ts";
import { timeMember } from "./read-time.ts";

/** A person stopped, or wants again, a kind of messages. */
export interface PreferenceUpdate {
  /** Digits without a plus. */
  recipient: string;
  value: "stop" | "resume";
  /** Such as `marketing_messages`. */
  category: string;
  at: Date | null;
}

export function readPreference(item: unknown): PreferenceUpdate | null {
  const recipient = idMember(item, "wa_id");
  const value = textMember(item, "value")?.toLowerCase();
  if (recipient === undefined || (value !== "stop" && value !== "resume")) return null;
  const category = boundedText(textMember(item, "category") ?? "marketing_messages");
  return { recipient: boundedText(recipient), value, category, at: timeMember(item, "timestamp") };
}
