import type { TemplateDefinition, TemplateStatus } from "./template/definition.ts";
import { cleanSlots, unsendable } from "./template/message.ts";
import { slotNames, type SlotTexts, type SlotNames, slotCounts } from "./template/slots.ts";
import { evaluate, type EvaluationContext, type VariableMap, type VarSpec } from "./variables.ts";

/** A template's slots, filled from a payload. */
export interface MappedSlots {
  /** As mapped; empty where the slot is unresolved. */
  mapped: SlotTexts;
  /** As sent; empty where the slot is unresolved. */
  sent: SlotTexts;
  /** Why slots are unresolved, one reason each; empty when all of the template's slots have a value. */
  unresolved: string[];
}

/** Fills every slot that the template has. One is unresolved when the map leaves it out, its value is missing, or nothing of the value is left to send. */
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
  const unresolved = slotGroups.flatMap((group) =>
    names[group.part].flatMap((name, index) => {
      if (sent[group.part][index] !== "") return [];
      const reason = `${slotLabel(group, name)}: ${whyEmpty(specOf(map, group.mapKey, index), mapped[group.part][index] !== "")}`;
      mapped[group.part][index] = "";
      return [reason];
    }),
  );
  return { mapped, sent, unresolved };
}

const specOf = (map: VariableMap, key: keyof VariableMap, index: number): VarSpec | undefined => map[key]?.[String(index + 1)];

/** `hasText`: there was a value, but white space or the template's own fixed part was all of it. */
function whyEmpty(spec: VarSpec | undefined, hasText: boolean): string {
  if (spec === undefined) return "not in the variable map";
  return `${sourceName(spec)} is ${hasText ? "blank" : "missing"}`;
}

function sourceName(spec: VarSpec): string {
  switch (spec.source) {
    case "field":
      return spec.path;
    case "static":
      return "the static value";
    case "expression":
      return spec.expr;
  }
}

const statusProblems: Record<TemplateStatus, string | null> = {
  draft: "The template is a draft: submit it for approval.",
  pending: "The template waits for the platform's approval.",
  approved: null,
  rejected: "The template was rejected: change it and submit it again.",
  paused: "The platform has paused the template.",
  disabled: "The platform has disabled the template: use another one.",
};

/**
 * Why a binding that was saved cannot send, a sentence each; empty when nothing but the payload is missing.
 * @param bound See `templateChanges`.
 */
export function bindingProblems(
  map: VariableMap,
  definition: TemplateDefinition,
  status: TemplateStatus,
  bound: SlotNames | null = null,
): string[] {
  const changes = templateChanges(bound, map, definition);
  const sendable = unsendable(definition);
  const unmapped = slotGroups.flatMap((group) =>
    slotNames(definition)
      [group.part].filter((_, index) => map[group.mapKey]?.[String(index + 1)] === undefined)
      .map((name) => `${slotLabel(group, name)} is not in the variable map.`),
  );
  const changed = `The template has changed since the binding was saved: ${changes.join("; ")}. Look at its slots and save it again.`;
  return [
    statusProblems[status],
    changes.length === 0 ? null : changed,
    sendable === null ? null : `The template cannot be sent: ${sendable}.`,
    ...unmapped,
  ].filter((problem) => problem !== null);
}

/**
 * How a template's slots differ from those that a binding's variable map was written for, a clause each; empty when the map still means what it meant.
 * @param bound The slots at that time; null when they were not noted, and only slots that are gone can be told.
 */
export function templateChanges(bound: SlotNames | null, map: VariableMap, definition: TemplateDefinition): string[] {
  const names = slotNames(definition);
  const moved = slotGroups.flatMap(({ mapKey, part }) => {
    const [before, now] = [bound?.[part] ?? names[part], names[part]];
    const isSame = before.length === now.length && before.every((name, index) => name === now[index]);
    return isSame ? [] : [`${mapKey} had ${listed(before)} and has ${listed(now)} now`];
  });
  return moved.length > 0 ? moved : mapErrors(map, definition);
}

const listed = (names: readonly string[]): string => (names.length === 0 ? "no slot" : names.map((name) => `{{${name}}}`).join(", "));

/** The slots that a map names and its template lacks, one message each (`body.3: the template has 2 body slots`); such a binding is not saved. */
export function mapErrors(map: VariableMap, definition: TemplateDefinition): string[] {
  const counts = slotCounts(definition);
  return slotGroups.flatMap(({ mapKey, part }) => {
    const count = counts[part];
    const has = count === 0 ? `no ${mapKey} slot` : `${count} ${mapKey} slot${count === 1 ? "" : "s"}`;
    return Object.keys(map[mapKey] ?? {})
      .filter((slot) => Number(slot) > count)
      .map((slot) => `${mapKey}.${slot}: the template has ${has}`);
  });
}

/** The groups of a variable map with what the template calls them, in the order of a message. */
export const slotGroups = [
  { mapKey: "header", part: "header" },
  { mapKey: "body", part: "body" },
  { mapKey: "button_url", part: "buttonUrl" },
] as const;

export type SlotGroup = (typeof slotGroups)[number];

/** How a reason names a slot: `body {{2}}`, or `body {{first_name}}` where slots have names. */
export const slotLabel = ({ mapKey }: SlotGroup, name: string): string => `${mapKey} {{${name}}}`;
