import type { Field } from "shared/core/fields/learn";
import { maskedText } from "shared/core/known-values";
import { maskPhonesIn, maskSample } from "shared/core/mask";
import { shapeOf } from "shared/core/propose/shapes";
import { describeReason, type Reason } from "shared/core/reason";
import { shorten } from "shared/core/text";

/** Material for a language model, apart from its instructions: JSON in which nothing can look like the end of the block, since `<` and `>` are written as escapes. */
export const dataBlock = (name: string, value: unknown): string =>
  `<data name="${name}">\n${JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? plainText(member) : member), 1).replaceAll(/[<>&]/g, escaped)}\n</data>`;

const escaped = (character: string): string => `\\u00${character.charCodeAt(0).toString(16)}`;

/** Characters that models read but people do not see: controls, directions, tags, variation selectors except that of emoji. Joiners belong to emoji and Persian. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?!\ufe0f)\p{Variation_Selector}/gu;
const seen = new Set(["\n", "\t", "\u200c", "\u200d"]);

/** The text as people see it, at most `longest` characters of it. */
export const plainText = (text: string, longest = 4_000): string =>
  shorten(
    text.replaceAll(/\r\n?/g, "\n").replaceAll(unseen, (character) => (seen.has(character) ? character : "")),
    longest,
  );

/** A name or a path on one line; null if it may contain personal data, or is longer than a name. */
export function safeName(text: string): string | null {
  const plain = plainText(text, 257);
  const isSafe = plain.length <= 256 && plain === text && !/[\n\t]/.test(plain) && !plain.includes("@") && maskPhonesIn(plain) === plain;
  return isSafe && !/\d{7}/.test(plain) ? plain : null;
}

/** A field of events without its value, only with a description of how the value looks. `withLooks`: false if not even that may leave. */
export function describeField({ path, type, sample }: Field, withLooks: boolean): { path: string; type: string; looks?: string } | null {
  const name = safeName(path);
  if (name === null) return null;
  if (!withLooks || sample === null) return { path: name, type };
  const isPersonal = maskSample({ path, type: "string", sample }).sample === maskedText;
  return { path: name, type, looks: isPersonal ? "personal" : shapeOf(sample) };
}

/** A reason as a sentence; values of events are replaced by descriptions of how they look. */
export const describeMasked = (reason: Reason): string => maskPhonesIn(describeReason(maskMembers(reason) as Reason));

/** The members of reasons that hold values of events or of people. */
const valueMembers = new Set(["saw", "phone", "values"]);

function maskMembers(value: unknown, isValue = false): unknown {
  if (typeof value === "string") return isValue ? `(${shapeOf(value)})` : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => maskMembers(member, isValue));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskMembers(member, isValue || valueMembers.has(key))]));
}

/** The text with phones, e-mail addresses and long numbers masked. */
export const maskContacts = (text: string): string =>
  maskPhonesIn(text)
    .split(/(\s)/u)
    .map((word) => (word.includes("@") ? maskedText : word))
    .join("")
    .replaceAll(/\p{Nd}{7,}/gu, maskedText);

/** A sentence of the platform or of an earlier version, also without its quoted parts. */
export const maskSentence = (text: string): string =>
  maskContacts(
    plainText(text, 500)
      .split(/["“”„«»]|(?<![\p{L}\p{N}])['‘’]|['‘’](?![\p{L}\p{N}])/u)
      .map((piece, at) => (at % 2 === 1 ? maskedText : piece))
      .join('"'),
  );
