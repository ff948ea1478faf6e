import type { SlotCounts } from "shared/core/template/definition";
import { slotCounts } from "shared/core/template/slots";
import type { VariableMap } from "shared/core/varspec/schema";
import type { TemplateRow } from "shared/db/tables/template/row";
import type { InputProblem } from "../../trpc/refusals.ts";

const groups = [
  ["header", "header"],
  ["body", "body"],
  ["button_url", "buttonUrl"],
] as const satisfies readonly [keyof VariableMap, keyof SlotCounts][];

/** A problem for each slot that the map names and the template lacks. */
export function unknownSlots(map: VariableMap, template: Pick<TemplateRow, "name" | "language" | "definition">): InputProblem[] {
  const counts = slotCounts(template.definition);
  return groups.flatMap(([group, count]) =>
    Object.keys(map[group] ?? {})
      .filter((slot) => Number(slot) > counts[count])
      .map((slot) => ({
        path: ["variableMap", group, slot],
        message: `The template ${template.name} (${template.language}) has no slot ${group}.${slot}; ${available(counts[count])}`,
      })),
  );
}

const available = (count: number): string => {
  if (count === 0) return "it has none there";
  return count === 1 ? "it has only slot 1 there" : `it has slots 1 to ${count} there`;
};
