import type { TemplateDefinition } from "../template/definition.ts";
import { slotNames, type SlotNames } from "../template/slots.ts";
import type { VariableMap } from "../varspec/schema.ts";
import { mapErrors } from "./map-errors.ts";
import { slotGroups } from "./slot-label.ts";

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
