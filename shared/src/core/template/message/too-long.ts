import { textLength } from "../../text/length.ts";
import type { TemplateDefinition } from "../definition.ts";
import { limits } from "../limits.ts";
import { renderParts } from "../render.ts";
import type { SlotTexts } from "../slots.ts";

/** Which filled part of the message the platform would find too long, as a reason; null when none is. `slots` as sent. */
export function tooLong(definition: TemplateDefinition, slots: SlotTexts): string | null {
  const { header, body, urls } = renderParts(definition, slots);
  const parts: [string, string, number][] = [
    ["header", header ?? "", limits.header],
    ["body", body, limits.body],
  ];
  urls.forEach((url, index) => parts.push([`button_url {{${index + 1}}}`, url, limits.url]));
  for (const [name, text, limit] of parts) {
    if (text.length <= limit) continue;
    const length = textLength(text);
    if (length > limit) return `${name}: ${length} characters with its values, the platform takes ${limit}`;
  }
  return null;
}
