import type { TemplateButton, TemplateDefinition } from "./definition.ts";
import { fillSlots } from "./placeholders.ts";
import { slotNames, type SlotTexts } from "./slots.ts";
import { urlSlotsOf } from "./url-slot.ts";

/** The parts of a message that have slots, filled. */
export interface RenderedParts {
  /** Null without a text header. */
  header: string | null;
  body: string;
  /** One address for each URL button with a variable. */
  urls: string[];
}

/** `slots` as sent (see `cleanSlots`). A slot without a value shows as the template writes it. */
export function renderParts(definition: TemplateDefinition, slots: SlotTexts): RenderedParts {
  const { header, body, parameterFormat } = definition;
  const names = slotNames(definition);
  return {
    header: header?.format === "TEXT" ? fillSlots(header.text, parameterFormat, slots.header, names.header) : null,
    body: fillSlots(body, parameterFormat, slots.body, names.body),
    urls: urlSlotsOf(definition).map(({ fixed, rest }, index) => `${fixed}${slots.buttonUrl[index] || "{{1}}"}${rest}`),
  };
}

/**
 * The whole message as its recipient reads it, in plain text: header, body, footer and buttons, a blank line between them. Media
 * show as `[IMAGE] https://…`, buttons as `[label] target`, one a line. `slots` as sent.
 */
export function renderText(definition: TemplateDefinition, slots: SlotTexts): string {
  const { header, body, urls } = renderParts(definition, slots);
  const urlOf = new Map(urlSlotsOf(definition).map(({ index }, n) => [index, urls[n]]));
  const buttons = definition.buttons.map((button, index) => renderButton(button, urlOf.get(index)));
  const parts = [header ?? renderMedia(definition), body, definition.footer, buttons.join("\n")];
  return parts.filter((part) => part !== null && part !== "").join("\n\n");
}

function renderMedia({ header }: TemplateDefinition): string | null {
  if (header === null || header.format === "TEXT") return null;
  if (header.format === "OTHER") return `[${header.type}]`;
  const media = header.url ?? header.file?.name;
  return media === undefined ? `[${header.format}]` : `[${header.format}] ${media}`;
}

function renderButton(button: TemplateButton, filledUrl: string | undefined): string {
  switch (button.type) {
    case "URL":
      return `[${button.text}] ${filledUrl ?? button.url}`;
    case "PHONE_NUMBER":
      return `[${button.text}] ${button.phone}`;
    case "QUICK_REPLY":
    case "OTHER":
      return `[${button.text}]`;
  }
}
