import { memoize } from "../text.ts";
import type { SlotCounts, TemplateDefinition, TemplateExamples } from "./definition.ts";

/** A text for each slot, in slot order; an empty text stands for none. */
export type SlotTexts = TemplateExamples;

/** The names that a template gives its slots, in slot order. */
export type SlotNames = Record<keyof SlotTexts, readonly string[]>;

/** How many slots each part of a template has. */
export function slotCounts(definition: TemplateDefinition): SlotCounts {
  const names = slotNames(definition);
  return { header: names.header.length, body: names.body.length, buttonUrl: names.buttonUrl.length };
}

/**
 * The template's names of its slots, in slot order. A named slot is addressed by its position too: that of its first appearance in its part of the
 * template. URL buttons are numbered among those that have a variable.
 */
export const slotNames = memoize((definition: TemplateDefinition): Readonly<SlotNames> => {
  const { header, body, parameterFormat } = definition;
  return {
    header: header?.format === "TEXT" ? slotNamesOf(header.text, parameterFormat) : [],
    body: slotNamesOf(body, parameterFormat),
    buttonUrl: urlSlotsOf(definition).map((_, index) => String(index + 1)),
  };
});

type Format = TemplateDefinition["parameterFormat"];

/** Three digits: a number that no template reaches must not make a slot list of that length. */
const positionalVariable = /\{\{([1-9]\d{0,2})\}\}/g;
const namedVariable = /\{\{([a-z0-9_]{1,512})\}\}/g;

/** The names of a text's slots in slot order: `1` to the highest number, or the names in the order in which they first appear. */
export function slotNamesOf(text: string, format: Format): string[] {
  const found = Array.from(text.matchAll(patternOf(format)), (match) => match[1] ?? "");
  if (format === "NAMED") return [...new Set(found)];
  const highest = found.reduce((most, number) => Math.max(most, Number(number)), 0);
  return Array.from({ length: highest }, (_, index) => String(index + 1));
}

/** The texts of a template that have slots, cut at them; a header that is no text is null. */
export const slotPieces = memoize(({ header, body, parameterFormat }: TemplateDefinition) => ({
  header: header?.format === "TEXT" ? cutAtSlots(header.text, parameterFormat) : null,
  body: cutAtSlots(body, parameterFormat),
}));

/** A cut text with `values` (in the order of `names`) in place of its slots; a slot whose value is empty or absent stays as the template writes it. */
export const fillSlots = (pieces: readonly string[], values: readonly string[], names: readonly string[]): string =>
  pieces.reduce((text, piece, index) => text + (index % 2 === 0 ? piece : values[names.indexOf(piece)] || `{{${piece}}}`), "");

/** The text cut at its slots: every second piece is a slot's name. */
export const cutAtSlots = (text: string, format: Format): string[] => text.split(patternOf(format));

const patternOf = (format: Format): RegExp => (format === "NAMED" ? namedVariable : positionalVariable);

/** A URL button whose address ends in a variable. `index` is its place among all buttons. */
export interface UrlSlot {
  index: number;
  /** The text before the variable, which is the same in every message. */
  fixed: string;
  /** The text after it. The platform allows none, but a template made elsewhere is taken as it is. */
  rest: string;
}

/** Named templates write `{{1}}` here too. */
const anyVariable = /\{\{[a-z0-9_]{1,512}\}\}/;

/** The address of a button that copies or fills in a one-time code. */
export const codeLink = "https://www.whatsapp.com/otp/code/";
const isCodeLink = (url: string): boolean => url.includes("/otp/code/");

/** The place of the button that takes the one-time code, among all buttons; null in other templates. Its value is that of body 1, so it is no slot. */
export const codeButtonOf = memoize((definition: TemplateDefinition): number | null => {
  const at = definition.buttons.findIndex((button) => button.type === "URL" && isCodeLink(button.url));
  return at === -1 ? null : at;
});

/** The URL buttons that take a value, in order: the n-th is `button_url` n of a variable map. */
export const urlSlotsOf = memoize((definition: TemplateDefinition): readonly UrlSlot[] =>
  definition.buttons.flatMap((button, index) => {
    const variable = button.type === "URL" && !isCodeLink(button.url) ? anyVariable.exec(button.url) : null;
    if (variable === null) return [];
    const { input, index: at } = variable;
    return [{ index, fixed: input.slice(0, at), rest: input.slice(at + variable[0].length) }];
  }),
);
