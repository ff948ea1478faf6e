import { templateErrors } from "../errors/template-errors.ts";
import { idMember } from "../http/json-member.ts";
import type { PlatformError } from "../platform-error.ts";

/** What to do about a refused template call; null where the platform's own words have to do. */
export function templateAdvice({ message, facts }: PlatformError): string | null {
  if (facts === null) return null;
  const rule = templateErrors.get(`${facts.code}/${idMember(facts.detail, "error_subcode")}`);
  if (rule !== undefined) return rule.explanation;
  // The one refusal that has no code of its own.
  if (/category \w+ doesn't match/i.test(message)) return "All languages of one name share a category: choose that one, or another name.";
  return facts.class === "account" || facts.class === "transient" ? facts.explanation : null;
}
