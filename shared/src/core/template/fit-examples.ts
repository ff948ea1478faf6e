import type { TemplateExamples } from "./definition.ts";
import { slotCounts } from "./slots.ts";
import { toDefinition } from "./to-definition.ts";
import type { UncheckedTemplate } from "./unchecked-template.ts";

/** The examples of a template whose texts were changed without them: what has no variable any more goes, and a part that is short waits for new ones. */
export function fitExamples(input: UncheckedTemplate): TemplateExamples {
  const definition = toDefinition(input);
  const counts = slotCounts(definition);
  const fit = (part: keyof TemplateExamples): string[] => {
    const given = definition.examples[part];
    return given.length < counts[part] ? [] : given.slice(0, counts[part]);
  };
  return { header: fit("header"), body: fit("body"), buttonUrl: fit("buttonUrl") };
}
