import { memoize } from "../memoize.ts";
import type { TemplateDefinition } from "./definition.ts";

/** A URL button whose address ends in a variable. `index` is its place among all buttons. */
export interface UrlSlot {
  index: number;
  /** What stands before the variable, and is the same in every message. */
  fixed: string;
  /** What stands behind it: the platform allows nothing there, but a template made elsewhere is taken as it is. */
  rest: string;
}

/** Named templates write `{{1}}` here too. */
const VARIABLE = /\{\{[a-z0-9_]{1,512}\}\}/;

/** The URL buttons that take a value, in order: the n-th is `button_url` n of a variable map. */
export const urlSlotsOf = memoize((definition: TemplateDefinition): readonly UrlSlot[] =>
  definition.buttons.flatMap((button, index) => {
    const variable = button.type === "URL" ? VARIABLE.exec(button.url) : null;
    if (variable === null) return [];
    const { input, index: at } = variable;
    return [{ index, fixed: input.slice(0, at), rest: input.slice(at + variable[0].length) }];
  }),
);
