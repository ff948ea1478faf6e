import { cleanSlots } from "../clean-slots.ts";
import { tooLong } from "../message/too-long.ts";
import { slotCounts, type SlotTexts } from "../slots.ts";
import { toDefinition } from "../to-definition.ts";
import type { UncheckedTemplate } from "../unchecked-template.ts";
import type { Fault } from "./fault.ts";

const parts = ["header", "body", "buttonUrl"] as const;

/** The platform's reviewers want one example for each variable, and the message that they make must be sendable. */
export function checkExamples(input: UncheckedTemplate): Fault[] {
  const definition = toDefinition(input);
  // Then the fault is the text's own.
  if (tooLong(definition, { header: [], body: [], buttonUrl: [] }) !== null) return [];
  const counts = slotCounts(definition);
  const examples: SlotTexts = definition.examples;
  const faults = parts.flatMap((part) => {
    const field = `examples.${part}`;
    const given = examples[part].length;
    if (given !== counts[part]) return [{ field, message: countMessage(counts[part]), ...(given === 0 && { awaited: true as const }) }];
    const empty = examples[part].flatMap((example, index) => (example.trim() === "" ? [index] : []));
    return empty.map((index) => ({ field: `${field}.${index}`, message: "must not be empty" }));
  });
  const long = tooLong(definition, cleanSlots(definition, examples));
  return long === null || faults.length > 0 ? faults : [{ field: "examples", message: long }];
}

const countMessage = (slots: number): string => {
  if (slots === 0) return "must be empty: there is no variable";
  return `must hold one example for each variable: ${slots}`;
};
