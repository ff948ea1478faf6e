import byMissing from "./missing-words.json" with { type: "json" };
import byRefusal from "./refused-words.json" with { type: "json" };
import bySource from "./signature-words.json" with { type: "json" };
import type { SourceType } from "./site.ts";
import { sources, headerNames } from "./sources/sources.ts";

interface RefusedWords {
  /** The status that the sender was answered. */
  status: number;
  text: string;
  /** The advice on what to do. */
  action: string;
}

/** Refusals of a request whose sender is known, in words for its operator. The order is the one in which requests are checked. */
export const refusedWords = byRefusal satisfies Record<string, RefusedWords>;

/** The reason why a request was refused, as it is stored. */
export type RefusedBecause = keyof typeof refusedWords;

export const isRefusedBecause = (name: string): name is RefusedBecause => Object.hasOwn(refusedWords, name);

/** Of a signature that does not fit, of none, and of a site without the secret: in the words of the pages on which the shop's operator sets it up. */
export const signatureWords: Readonly<Record<SourceType, Record<"wrong" | "missing" | "unsaved", RefusedWords>>> = bySource;

/** Of a signature of Standard Webhooks of which a part came, by the header that is missing. */
export const missingWords: Readonly<Record<string, RefusedWords>> = byMissing;

const otherSignatures = headerNames.signatures.filter((name) => !Object.hasOwn(missingWords, name));

/** The words of a refusal at a site of this type. `headers`: those that came; `secrets`: the kinds of the site's valid secrets. */
export function explainRefused(
  because: RefusedBecause,
  sourceType: SourceType,
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): RefusedWords {
  if (because !== "invalid_signature") return refusedWords[because];
  // An empty header counts as none.
  const has = (names: readonly string[]): boolean => names.some((name) => headers[name]?.trim());
  const parts = Object.keys(missingWords);
  const missing = parts.find((name) => !has([name]));
  const ofPart = missing !== undefined && has(parts) && !has(otherSignatures) ? missingWords[missing] : undefined;
  if (ofPart !== undefined) return ofPart;
  if (!has(headerNames.signatures)) return signatureWords[sourceType].missing;
  const type = has(sources[sourceType].headers.signatures) ? sourceType : "generic";
  return signatureWords[type][secrets.includes(sources[type].secret) ? "wrong" : "unsaved"];
}
