import type { TemplateDefinition } from "../template/definition.ts";
import { slotNames } from "../template/slots.ts";

/** The groups of a variable map with what the template calls them, in the order of a message. */
export const slotGroups = [
  { mapKey: "header", part: "header" },
  { mapKey: "body", part: "body" },
  { mapKey: "button_url", part: "buttonUrl" },
] as const;

export type SlotGroup = (typeof slotGroups)[number];

/** How a reason names each slot of a group, in slot order: `body {{2}}`, or `body {{first_name}}` where slots have names. */
export const slotLabels = (definition: TemplateDefinition, { mapKey, part }: SlotGroup): string[] =>
  slotNames(definition)[part].map((name) => `${mapKey} {{${name}}}`);
