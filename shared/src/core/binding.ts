import { evaluate, type EvaluationContext, longestValue } from "./expressions.ts";
import type { EmptySlot, PlanFailure, Reason, SlotChange } from "./reason.ts";
import type { TemplateDefinition, TemplateStatus } from "./template/definition.ts";
import { misfit } from "./template/link.ts";
import { cleanSlots, cleanText, unsendable } from "./template/message.ts";
import { limits } from "./template/platform-limits.ts";
import { movedSlots, shapeOf, type SlotWords, type TemplateShape } from "./template/shape.ts";
import { type SlotTexts, codeButtonOf, slotCounts, slotNames, urlSlotsOf } from "./template/slots.ts";
import { shorten } from "./text.ts";
import type { VariableMap, VarSpec } from "./variables.ts";

/** The groups of a variable map with the template's names for them, in the order of a message. */
export const slotGroups = [
  { mapKey: "header", part: "header" },
  { mapKey: "body", part: "body" },
  { mapKey: "button_url", part: "buttonUrl" },
] as const;

export type SlotGroup = (typeof slotGroups)[number];

/** A template's slots, filled from a payload. */
export interface MappedSlots {
  /** The texts as mapped; empty where the slot is unresolved. */
  mapped: SlotTexts;
  /** The texts as sent; empty where the slot is unresolved. */
  sent: SlotTexts;
  /** One reason for each slot without a value; empty when all of the template's slots have one. */
  unresolved: EmptySlot[];
  /** The reasons why existing values cannot be sent: one is cut, or is an address within an address. */
  unsendable: (Extract<PlanFailure, { code: "too_long" }> | Unfitting)[];
}
type Unfitting = Extract<PlanFailure, { code: "url_not_fitting" }>;

/** Fills every slot that the template has. One is unresolved when the map leaves it out, its value is missing, or nothing of the value remains to be sent. */
export function mapSlots(map: VariableMap, definition: TemplateDefinition, context: EvaluationContext): MappedSlots {
  const names = slotNames(definition);
  const [header, body, buttonUrl] = slotGroups;
  const valuesOf = ({ mapKey, part }: SlotGroup): string[] =>
    names[part].map((_, index) => {
      const spec = specOf(map, mapKey, index);
      return (spec && evaluate(spec, context)) ?? "";
    });
  const mapped = { header: valuesOf(header), body: valuesOf(body), buttonUrl: valuesOf(buttonUrl) };
  const sent = cleanSlots(definition, mapped);
  const slots: MappedSlots = { mapped, sent, unresolved: [], unsendable: [] };
  for (const group of slotGroups) judgeValues(group, names[group.part], map, slots);
  urlSlotsOf(definition).forEach((slot, index) => {
    const found = misfit(sent.buttonUrl[index] ?? "", slot);
    if (found === null) return;
    const leaves = found === "leaves" && { leaves: true as const };
    slots.unsendable.push({
      code: "url_not_fitting",
      slot: { group: "button_url", name: String(index + 1) },
      fixed: slot.fixed,
      ...leaves,
    });
  });
  return slots;
}

const mostOf = { header: limits.header, body: limits.body, button_url: limits.url };

/** Notes the slots of a group that are empty, and the first value that is cut; bounds what is kept of each. */
function judgeValues({ mapKey, part }: SlotGroup, names: readonly string[], map: VariableMap, slots: MappedSlots): void {
  const texts = slots.mapped[part];
  const cut = texts.findIndex((text) => text.length > longestValue);
  if (cut >= 0) {
    const button = mapKey === "button_url" ? cut + 1 : null;
    slots.unsendable.push({ code: "too_long", group: mapKey, button, length: longestValue + 1, limit: mostOf[mapKey] });
  }
  names.forEach((name, index) => {
    const text = texts[index] ?? "";
    const isEmpty = slots.sent[part][index] === "";
    texts[index] = isEmpty ? "" : shorten(text, longestValue);
    if (isEmpty) slots.unresolved.push(emptySlot({ group: mapKey, name }, specOf(map, mapKey, index), text !== ""));
  });
}

/** The reason why a slot is empty. Blank: the value held only white space or the template's own fixed part. */
function emptySlot(slot: EmptySlot["slot"], spec: VarSpec | undefined, isBlank: boolean): EmptySlot {
  if (spec === undefined) return { code: "value_not_mapped", slot };
  return { code: isBlank ? "value_blank" : "value_missing", slot, from: sourceOf(spec) };
}

const specOf = (map: VariableMap, key: keyof VariableMap, index: number): VarSpec | undefined => map[key]?.[String(index + 1)];

const sourceOf = (spec: VarSpec): string | null => (spec.source === "field" ? spec.path : spec.source === "expression" ? spec.expr : null);

/**
 * The reasons why a saved binding cannot send; empty if only the payload is missing.
 * @param bound See `templateChanges`.
 */
export function bindingProblems(
  map: VariableMap,
  definition: TemplateDefinition,
  status: TemplateStatus,
  bound: TemplateShape | null = null,
): Reason[] {
  const changes = templateChanges(bound, map, definition);
  const unmapped = slotGroups.flatMap(({ mapKey, part }) =>
    slotNames(definition)[part].map((name, index): Reason | null => {
      const [slot, spec] = [{ group: mapKey, name }, specOf(map, mapKey, index)];
      if (spec === undefined) return { code: "slot_not_mapped", slot };
      return spec.source === "static" && cleanText(spec.value) === "" ? emptySlot(slot, spec, spec.value !== "") : null;
    }),
  );
  const problems: (Reason | null)[] = [
    status === "approved" ? null : { code: "template_not_approved", status },
    changes.length === 0 ? null : { code: "template_changed", changes, more: 0 },
    unsendable(definition),
    ...unmapped,
  ];
  return problems.filter((problem) => problem !== null);
}

/**
 * The differences between a template's slots and those that a binding's variable map was written for; empty if the map keeps its meaning.
 * @param bound The slots at that time, with the words around them; null if they were not noted: then only removed slots are found.
 */
export function templateChanges(bound: TemplateShape | null, map: VariableMap, definition: TemplateDefinition): SlotChange[] {
  const names = slotNames(definition);
  const moved = groupsOf(definition).flatMap(({ mapKey, part }): SlotChange[] => {
    const [before, now] = [bound?.[part] ?? names[part], names[part]];
    const isSame = before.length === now.length && before.every((name, index) => name === now[index]);
    return isSame ? [] : [{ code: "slots_differ", group: mapKey, before, now }];
  });
  return moved.length > 0 ? moved : [...mapErrors(map, definition), ...findMoved(bound?.words, definition)];
}

/** The groups that count. The button of a one-time code was a slot of its own once: maps that still fill it are good. */
const groupsOf = (definition: TemplateDefinition): readonly SlotGroup[] =>
  codeButtonOf(definition) === null ? slotGroups : slotGroups.filter(({ part }) => part !== "buttonUrl");

/** The slots that have changed places, or their meaning, although there are as many as before. */
function findMoved(before: TemplateShape["words"], definition: TemplateDefinition): SlotChange[] {
  const { words: now, ...names } = shapeOf(definition);
  if (before === undefined || now === undefined) return [];
  return (["header", "body"] as const).flatMap((part) =>
    movedSlots(before[part], now[part]).map((at): SlotChange => {
      const near = (words: SlotWords | undefined): string => words?.before || words?.after || "";
      const slot = { group: part, name: names[part][at] ?? "" };
      return { code: "slot_moved", slot, before: near(before[part][at]), now: near(now[part][at]) };
    }),
  );
}

/** The slots that a map names but its template lacks; a binding with one is not saved. */
export function mapErrors(map: VariableMap, definition: TemplateDefinition): Extract<SlotChange, { code: "slot_gone" }>[] {
  const counts = slotCounts(definition);
  return groupsOf(definition).flatMap(({ mapKey, part }) =>
    Object.keys(map[mapKey] ?? {})
      .map(Number)
      .filter((slot) => slot > counts[part])
      .map((slot) => ({ code: "slot_gone" as const, group: mapKey, slot, count: counts[part] })),
  );
}
