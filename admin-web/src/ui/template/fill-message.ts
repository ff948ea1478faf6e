import { type SlotGroup, slotGroups } from "shared/core/binding";
import type { TemplateButton, TemplateDefinition } from "shared/core/template/definition";
import { type SlotTexts, cutAtSlots, slotNames, urlSlotsOf } from "shared/core/template/slots";
import { t } from "../../language.ts";

/** A message to show. */
export interface Message {
  header: { format: string; text?: string | readonly TextPiece[]; link?: string | null } | null;
  body: string | readonly TextPiece[];
  footer: string | null;
  /** `empty`: the variable of its URL, if it has no value. */
  buttons: readonly { text: string; url?: unknown; phoneNumber?: unknown; empty?: EmptySlot | undefined }[];
  /** ISO 8601; absent if it was not sent. */
  at?: string | undefined;
}

/** A variable without a value. */
export interface EmptySlot {
  /** The variable's mark in the template: `{{1}}`. */
  slot: string;
  reason: string;
}

export type TextPiece = string | EmptySlot;

export type WhyEmpty = (group: SlotGroup, name: string) => string;

type Unsent = Omit<Message, "at">;

/**
 * A template as its recipient sees it.
 * @param values The sent values (see `cleanSlots`), or a template's examples; variables without one stay open.
 */
export function fillMessage(definition: TemplateDefinition, values: SlotTexts, whyEmpty: WhyEmpty): Unsent {
  const [headerGroup, bodyGroup, urlGroup] = slotGroups;
  const { header, body, footer, buttons } = definition;
  const fill = (text: string, group: typeof headerGroup | typeof bodyGroup) => fillText(definition, text, values, group, whyEmpty);
  const urlSlots = urlSlotsOf(definition);
  return {
    header: header?.format === "TEXT" ? { format: "TEXT", text: fill(header.text, headerGroup) } : mediaHeader(header),
    body: fill(body, bodyGroup),
    footer,
    buttons: buttons.map((button, index) => {
      const n = urlSlots.findIndex((slot) => slot.index === index);
      const slot = urlSlots[n];
      if (slot === undefined) return plainButton(button);
      const value = values.buttonUrl[n] ?? "";
      if (value === "") return { text: button.text, empty: { slot: t("link missing"), reason: whyEmpty(urlGroup, String(n + 1)) } };
      return { text: button.text, url: slot.fixed + value + slot.rest };
    }),
  };
}

function fillText(definition: TemplateDefinition, text: string, values: SlotTexts, group: SlotGroup, whyEmpty: WhyEmpty): TextPiece[] {
  const names = slotNames(definition)[group.part];
  return cutAtSlots(text, definition.parameterFormat).map((piece, index) => {
    if (index % 2 === 0) return piece;
    return values[group.part][names.indexOf(piece)] || { slot: `{{${piece}}}`, reason: whyEmpty(group, piece) };
  });
}

function mediaHeader(header: TemplateDefinition["header"]): Unsent["header"] {
  if (header === null || header.format === "TEXT") return null;
  return header.format === "OTHER" ? { format: header.type } : { format: header.format, link: header.url };
}

function plainButton(button: TemplateButton): Unsent["buttons"][number] {
  const { type, text } = button;
  if (type === "URL") return { text, url: button.url };
  return type === "PHONE_NUMBER" ? { text, phoneNumber: button.phone } : { text };
}
