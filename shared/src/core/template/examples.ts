import { type Concept, conceptsOf } from "../propose/concepts.ts";
import { readSlots, type Slot } from "../propose/features.ts";
import type { TemplateExamples } from "./definition.ts";
import { toDefinition, type UncheckedTemplate } from "./draft.ts";
import byConcept from "./examples.json" with { type: "json" };
import { type SlotTexts, slotCounts } from "./slots.ts";

/** Made-up examples that are plain for a reviewer and belong to nobody, by the concepts of the words around a variable. The first that fits is taken. */
const examples = Object.entries(byConcept) as [Concept, readonly string[]][];

/** A slot of a part, counted from 0. */
interface Place {
  part: keyof SlotTexts;
  index: number;
}

/** An example for a slot that is not among the `used` ones of its part: `sample` (an earlier event's value), one that fits its words, or a plain one. */
export function exampleFor(input: UncheckedTemplate, { part, index }: Place, used: ReadonlySet<string>, sample = ""): string {
  const free = (candidates: readonly string[]): string | undefined =>
    candidates.find((candidate) => candidate !== "" && !used.has(candidate));
  if (free([sample]) !== undefined) return sample;
  if (part === "buttonUrl") return free(["A1B2C3"]) ?? `A1B2C${index + 1}`;
  const slot = slotsOf(input).get(`${part}.${index + 1}`);
  if (slot?.isGreeting === true) return free(["Anna", "Max"]) ?? `Anna ${index + 1}`;
  const near = [...(slot?.words ?? [])].filter(([, weight]) => weight >= nearest).toSorted(([, a], [, b]) => b - a);
  for (const [word] of near) {
    const spoken = conceptsOf(word);
    const fitting = examples.find(([concept]) => (spoken.get(concept) ?? 0) >= 0.9);
    const example = fitting && free(fitting[1]);
    if (example !== undefined) return example;
  }
  return free(["A-1001"]) ?? `A-${1001 + index}`;
}

const mostSlots = 40;

let read: { texts: string; slots: ReadonlyMap<string, Slot> } | undefined;

/** The slots of the template's texts. A template is checked many times with other examples, and reading its slots takes long. */
function slotsOf(input: UncheckedTemplate): ReadonlyMap<string, Slot> {
  const texts = JSON.stringify([input.header, input.body]);
  if (read?.texts !== texts) {
    const slots = readSlots({ ...toDefinition({ ...input, examples: null }), buttons: [] }, mostSlots);
    read = { texts, slots: new Map(slots.map((slot) => [`${slot.part}.${slot.slot}`, slot])) };
  }
  return read.slots;
}

/** The least weight of a word that counts: words farther away belong to other slots. */
const nearest = 0.5;

/** The examples of a template whose texts were changed without them: examples without a variable are dropped, and a part with too few waits for new ones. */
export function fitExamples(input: UncheckedTemplate): TemplateExamples {
  const definition = toDefinition(input);
  const counts = slotCounts(definition);
  const fit = (part: keyof TemplateExamples): string[] => {
    const given = definition.examples[part];
    return given.length < counts[part] ? [] : given.slice(0, counts[part]);
  };
  return { header: fit("header"), body: fit("body"), buttonUrl: fit("buttonUrl") };
}
