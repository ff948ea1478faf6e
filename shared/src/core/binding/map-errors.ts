import type { TemplateDefinition } from "../template/definition.ts";
import { slotCounts } from "../template/slots.ts";
import type { VariableMap } from "../varspec/schema.ts";
import { slotGroups } from "./slot-label.ts";

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
