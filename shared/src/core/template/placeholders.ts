import type { TemplateDefinition } from "./definition.ts";

type Format = TemplateDefinition["parameterFormat"];

/** Three digits: a number that no template reaches must not make a slot list of that length. */
const POSITIONAL = /\{\{([1-9]\d{0,2})\}\}/g;
const NAMED = /\{\{([a-z0-9_]{1,512})\}\}/g;

/** The names of a text's slots in slot order: `1` to the highest number, or the names in the order in which they first appear. */
export function slotNamesOf(text: string, format: Format): string[] {
  const found = Array.from(text.matchAll(patternOf(format)), (match) => match[1] ?? "");
  if (format === "NAMED") return [...new Set(found)];
  const highest = found.reduce((most, number) => Math.max(most, Number(number)), 0);
  return Array.from({ length: highest }, (_, index) => String(index + 1));
}

/**
 * The text with `values` (in slot order) in place of its slots; a slot whose value is empty or absent stays as the template writes it.
 * `names`: the text's slots, for a caller that has them at hand.
 */
export function fillSlots(
  text: string,
  format: Format,
  values: readonly string[],
  names: readonly string[] = slotNamesOf(text, format),
): string {
  return text.replace(patternOf(format), (slot, name: string) => values[names.indexOf(name)] || slot);
}

/** The text cut at its slots: every second piece is a slot's name. */
export const cutAtSlots = (text: string, format: Format): string[] => text.split(patternOf(format));

const patternOf = (format: Format): RegExp => (format === "NAMED" ? NAMED : POSITIONAL);
