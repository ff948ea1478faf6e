import { textLength } from "../../core/text/length.ts";
import { invalidDetails, refusal } from "../errors/graph-error.ts";
import { fillVariables } from "../templates/variables.ts";
import type { ParameterInput } from "./component-input.ts";
import { textOf } from "./text-parameter.ts";

interface TextPart {
  /** As the platform's details name it. */
  part: "header" | "body";
  text: string;
  slots: string[];
  named: boolean;
  /** Characters that the filled text may have. */
  limit: number;
}

/** The part's text with its parameters in place. Throws the platform's refusal when they do not fit (platform facts, 1.3 and 3.4). */
export function fillText({ part, text, slots, named, limit }: TextPart, parameters: ParameterInput[]): string {
  if (parameters.length !== slots.length) {
    const counts = `number of localizable_params (${parameters.length}) does not match the expected number of params (${slots.length})`;
    throw refusal(132000, `${part}: ${counts}`);
  }
  const values = new Map(
    parameters.map((parameter, index) => [named ? nameOf(parameter, slots) : (slots[index] ?? ""), textOf(parameter, part)]),
  );
  if (values.size < slots.length) throw invalidDetails("Parameter name is given more than once");
  const filled = fillVariables(text, values);
  if (textLength(filled) > limit) throw refusal(132005, `${part}: translated text has more than ${limit} characters`);
  return filled;
}

function nameOf({ fields }: ParameterInput, slots: string[]): string {
  const name = fields["parameter_name"];
  if (typeof name !== "string" || name === "") throw invalidDetails("Parameter name is missing or empty");
  if (!slots.includes(name)) throw invalidDetails(`Parameter name ${JSON.stringify(name)} is not in the template`);
  return name;
}
