/** The groups of a variable map with what the template calls them, in the order of a message. */
export const slotGroups = [
  { mapKey: "header", part: "header" },
  { mapKey: "body", part: "body" },
  { mapKey: "button_url", part: "buttonUrl" },
] as const;

export type SlotGroup = (typeof slotGroups)[number];

/** How a reason names a slot: `body {{2}}`, or `body {{first_name}}` where slots have names. */
export const slotLabel = ({ mapKey }: SlotGroup, name: string): string => `${mapKey} {{${name}}}`;
