const VARIABLE = /\{\{([a-z0-9_]+)\}\}/g;

/** The names of a text's variables in the order of their first appearance: `1`, `2`… or words. */
export function variablesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(VARIABLE), (match) => match[1] ?? ""))];
}

/** The text with its variables replaced; one without a value stays as it stands. */
export function fillVariables(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** The text without its variables, each replaced by a space. */
export function withoutVariables(text: string): string {
  return text.replace(VARIABLE, " ");
}

/** Positional variables by number, whatever order the text has them in; named ones in the order of the text. */
export function slotNames(text: string, named: boolean): string[] {
  const names = variablesOf(text);
  return named ? names : names.toSorted((a, b) => Number(a) - Number(b));
}
