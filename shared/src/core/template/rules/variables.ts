/** What stands for a variable in a text whose variables are blanked: a character that no template holds. */
export const VARIABLE = "\0";

/** The text with each well-formed numbered variable, `{{1}}`, replaced by `VARIABLE`. */
export const blankedVariables = (text: string): string => text.replaceAll(VARIABLE, "").replace(/\{\{\d+\}\}/g, VARIABLE);

/** What is wrong with a text's variables, a message each: their form, numbers and neighbours. */
export function variableFaults(text: string): string[] {
  const blanked = blankedVariables(text);
  // Braces that are left over belong to a variable that is none: {{name}}, {{ 1 }}, {{1}, {{{1}}}.
  if (/\{\{|\}\}|\{\0|\0\}/.test(blanked)) return ["has a malformed variable: write {{1}}, {{2}} and so on, without spaces"];
  const messages: string[] = [];
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => match[1] ?? ""));
  const expected = Array.from({ length: numbers.size }, (_, index) => String(index + 1));
  if (!expected.every((number) => numbers.has(number))) messages.push("must number its variables from {{1}} without gaps");
  if (blanked.includes(VARIABLE + VARIABLE)) messages.push("must have text between two variables");
  return messages;
}
