import { templateRefusal } from "../../errors/graph-error.ts";
import { slotNames } from "../variables.ts";

/** Throws with the part's subcode when braces are not balanced, hold anything but a name, or leave out a number. */
export function checkVariables(part: string, subcode: number, text: string, named: boolean): void {
  const rest = text.replaceAll(/\{\{[a-z0-9_]+\}\}/g, "");
  if (/\{\{|\}\}/.test(rest)) {
    throw templateRefusal(
      subcode,
      `${part} format is incorrect`,
      `The ${part} holds a variable in the wrong format: write {{1}} or {{name}}.`,
    );
  }
  if (named) return;
  const numbers = slotNames(text, false).filter((name) => /^\d+$/.test(name));
  if (numbers.some((number, index) => number !== String(index + 1))) {
    throw templateRefusal(subcode, `${part} format is incorrect`, `The ${part}'s variables must be numbered from {{1}} without gaps.`);
  }
}
