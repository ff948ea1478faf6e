import { memoize } from "../memoize.ts";
import type { SlotCounts, TemplateDefinition } from "./definition.ts";
import { slotNamesOf } from "./placeholders.ts";
import { urlSlotsOf } from "./url-slot.ts";

/** A text for each slot, in slot order; an empty text stands for none. */
export interface SlotTexts {
  header: string[];
  body: string[];
  buttonUrl: string[];
}

/** What a template calls its slots, in slot order. */
export type SlotNames = Record<keyof SlotTexts, readonly string[]>;

/** How many slots each part of a template has. */
export function slotCounts(definition: TemplateDefinition): SlotCounts {
  const names = slotNames(definition);
  return { header: names.header.length, body: names.body.length, buttonUrl: names.buttonUrl.length };
}

/**
 * What the template calls its slots, in slot order. A named slot is addressed by its position too: that of its first appearance in
 * its part of the template. URL buttons are numbered among those that have a variable.
 */
export const slotNames = memoize((definition: TemplateDefinition): Readonly<SlotNames> => {
  const { header, body, parameterFormat } = definition;
  return {
    header: header?.format === "TEXT" ? slotNamesOf(header.text, parameterFormat) : [],
    body: slotNamesOf(body, parameterFormat),
    buttonUrl: urlSlotsOf(definition).map((_, index) => String(index + 1)),
  };
});
