import type { TemplateDefinition } from "./definition.ts";
import { cleanText } from "./message/clean-text.ts";
import { cleanUrlValue } from "./message/clean-url-value.ts";
import type { SlotTexts } from "./slots.ts";
import { urlSlotsOf } from "./url-slot.ts";

/** Mapped values (a preview's `slots`) as they are sent. */
export function cleanSlots(definition: TemplateDefinition, mapped: SlotTexts): SlotTexts {
  const urls = urlSlotsOf(definition);
  return {
    header: mapped.header.map(cleanText),
    body: mapped.body.map(cleanText),
    buttonUrl: mapped.buttonUrl.map((value, index) => cleanUrlValue(value, urls[index]?.fixed ?? "")),
  };
}
