import { cleanSlots } from "../template/clean-slots.ts";
import type { TemplateDefinition } from "../template/definition.ts";
import { slotNames, type SlotTexts } from "../template/slots.ts";
import { evaluate, type EvaluationContext } from "../varspec/evaluate.ts";
import type { VariableMap, VarSpec } from "../varspec/schema.ts";
import { slotGroups, slotLabel, type SlotGroup } from "./slot-label.ts";

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
