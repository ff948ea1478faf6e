import { templateRefusal } from "../../errors/graph-error.ts";
import type { NamedExample } from "../record.ts";

/** Throws 2388043 unless every variable of the part has an example (platform facts, 3.2). */
export function checkExamples(
  part: string,
  slots: readonly string[],
  named: boolean,
  positional: readonly string[],
  byName: readonly NamedExample[],
): void {
  const missing = named
    ? slots.some((slot) => !byName.some(({ param_name: name, example }) => name === slot && example !== ""))
    : slots.some((_, index) => (positional[index] ?? "") === "");
  if (!missing) return;
  throw templateRefusal(2388043, `Missing sample for the ${part}`, `The ${part} has variables: give an example for each of them.`);
}
