import { isE164 } from "shared/core/phone";

/** What was typed as a phone: whole, perhaps whole after a correction that the person should see, or not yet. */
type PhoneReading =
  | { is: "empty" }
  | { is: "whole"; phone: string }
  | { is: "near"; suggestion: string; reason: string }
  | { is: "unfinished"; reason: string };

/** Reads a phone as people write it. What only groups its digits is left out; whatever else has to change is suggested, never done. */
export function readPhone(text: string): PhoneReading {
  const phone = text.replaceAll(/[\s().\-/\u2010-\u2015]/gu, "").replace(/^＋/u, "+");
  if (phone === "") return { is: "empty" };
  if (/[^\d+]/u.test(phone) || phone.lastIndexOf("+") > 0) return unfinished("Digits only, with a + at the front.");
  if (/^\s*(?:\+|00)[\d\s]*\(0\)/u.test(text)) return near(text.replace(/^\s*(?:\+|00)/u, "").replace("(0)", ""), "Leave out the (0):");
  if (phone.startsWith("00")) return near(phone.slice(2), "Write + in place of 00:");
  if (/^\+?0/u.test(phone)) return unfinished("Begin with + and the country code in place of the 0, such as +49 for Germany.");
  if (!phone.startsWith("+")) return near(phone, "It lacks the + before the country code:");
  return isE164(phone) ? { is: "whole", phone } : unfinished(lengthReason(phone));
}

/** What a field hands on: the number alone where that is certain, else what was typed. */
export function phoneValue(text: string): string {
  const reading = readPhone(text);
  return reading.is === "whole" ? reading.phone : text.trim();
}

function near(digits: string, reason: string): PhoneReading {
  const suggestion = `+${digits.replaceAll(/\D/gu, "")}`;
  return isE164(suggestion) ? { is: "near", suggestion, reason } : unfinished(lengthReason(suggestion));
}

const unfinished = (reason: string): PhoneReading => ({ is: "unfinished", reason });

const lengthReason = (phone: string): string =>
  phone.length > 8 ? "Too long: 15 digits at most, country code included." : "Go on: 7 to 15 digits, country code included.";
