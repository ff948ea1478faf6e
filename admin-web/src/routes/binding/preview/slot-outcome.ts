import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import { urlSlotsOf } from "shared/core/template/slots";
import type { Outputs } from "../../../trpc.ts";
import type { TemplateSlot } from "../draft/template-slots.ts";
import { whyEmpty } from "./why-empty.ts";

/** What comes of a slot: its text as it is sent, of a button its whole address; or why it is empty. */
export type SlotOutcome = { text: string } | { reason: string };

/** What the preview says of one slot. */
export function slotOutcome(
  template: TemplateDefinition,
  { group, index, name }: TemplateSlot,
  { slots, unresolved }: Pick<Outputs["bindings"]["preview"], "slots" | "unresolved">,
): SlotOutcome {
  const text = cleanSlots(template, slots)[group.part][index] ?? "";
  if (text === "") return { reason: whyEmpty(unresolved)(group, name) };
  const url = group.part === "buttonUrl" ? urlSlotsOf(template)[index] : undefined;
  return { text: url === undefined ? text : url.fixed + text + url.rest };
}
