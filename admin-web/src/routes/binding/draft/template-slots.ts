import { type SlotGroup, slotGroups } from "shared/core/binding";
import type { TemplateDefinition } from "shared/core/template/definition";
import { slotNames } from "shared/core/template/slots";
import { urlSlotsOf } from "shared/core/template/slots";
import type { SlotKey } from "./binding-draft.ts";

/** A slot as it is asked for. */
export interface TemplateSlot {
  key: SlotKey;
  group: SlotGroup;
  /** From 0, within its group. */
  index: number;
  /** What the template calls it, such as `1` or `first_name`… */
  name: string;
  /** …and as it writes it there. */
  mark: string;
  /** What the template has on either side of its first appearance, cut short. */
  before: string;
  after: string;
}

const contextLength = 30;

/** The template's slots in the order of the message. */
export function templateSlots(definition: TemplateDefinition): TemplateSlot[] {
  const names = slotNames(definition);
  return slotGroups.flatMap((group) =>
    names[group.part].map((name, index) => ({
      key: `${group.mapKey}.${index + 1}` as const,
      group,
      index,
      name,
      mark: `{{${name}}}`,
      ...(group.part === "buttonUrl" ? aroundUrl(definition, index) : aroundText(definition, group.part, name)),
    })),
  );
}

type Around = Pick<TemplateSlot, "before" | "after">;

function aroundText({ header, body }: TemplateDefinition, part: "header" | "body", name: string): Around {
  const text = part === "body" ? body : header?.format === "TEXT" ? header.text : "";
  const [before = "", ...rest] = oneLine(text).split(`{{${name}}}`);
  return { before: tail(before), after: head(rest.join(`{{${name}}}`)) };
}

function aroundUrl(definition: TemplateDefinition, index: number): Around {
  const slot = urlSlotsOf(definition)[index];
  return { before: tail(slot?.fixed ?? ""), after: head(slot?.rest ?? "") };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ");

const tail = (text: string): string => (text.length > contextLength ? `…${text.slice(-contextLength)}` : text);
const head = (text: string): string => (text.length > contextLength ? `${text.slice(0, contextLength)}…` : text);
