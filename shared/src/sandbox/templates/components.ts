import { z } from "zod";
import { invalidParameter } from "../graph-error.ts";

export const upper = (value: unknown): unknown => (typeof value === "string" ? value.toUpperCase() : value);
export const upperLiteral = <const T extends string>(value: T) => z.preprocess(upper, z.literal(value));

const namedExamples = z.array(z.object({ param_name: z.string(), example: z.string() }));
const textHeader = z.object({
  type: upperLiteral("HEADER"),
  format: upperLiteral("TEXT"),
  text: z.string(),
  example: z.object({ header_text: z.array(z.string()).optional(), header_text_named_params: namedExamples.optional() }).optional(),
});
const mediaHeader = z.object({
  type: upperLiteral("HEADER"),
  format: z.preprocess(upper, z.enum(["IMAGE", "VIDEO", "DOCUMENT"])),
  example: z.object({ header_handle: z.array(z.string()).optional() }).optional(),
});
const locationHeader = z.object({ type: upperLiteral("HEADER"), format: upperLiteral("LOCATION") });
const body = z.object({
  type: upperLiteral("BODY"),
  text: z.string(),
  example: z
    .object({
      body_text: z.union([z.array(z.array(z.string())), z.array(z.string())]).optional(),
      body_text_named_params: namedExamples.optional(),
    })
    .optional(),
});
const footer = z.object({ type: upperLiteral("FOOTER"), text: z.string() });

const examples = z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(z.string()));
const button = z.union([
  z.object({ type: upperLiteral("URL"), text: z.string(), url: z.string(), example: examples.optional() }),
  z.object({ type: upperLiteral("QUICK_REPLY"), text: z.string() }),
  z.object({ type: upperLiteral("PHONE_NUMBER"), text: z.string(), phone_number: z.string() }),
  z.object({ type: upperLiteral("COPY_CODE"), text: z.string().optional(), example: examples }),
  z.object({ type: upperLiteral("VOICE_CALL"), text: z.string() }),
  z.object({ type: upperLiteral("REQUEST_CONTACT_INFO"), text: z.string().optional() }),
]);
const buttons = z.object({ type: upperLiteral("BUTTONS"), buttons: z.array(button).min(1) });

const component = z.union([textHeader, mediaHeader, locationHeader, body, footer, buttons]);

/** A component as the platform lists it, with what those of one-time codes have besides. */
export type TemplateComponent = z.output<typeof component> & {
  add_security_recommendation?: boolean | undefined;
  code_expiration_minutes?: number | undefined;
};
export type TemplateButton = z.output<typeof button>;
export type NamedExample = z.output<typeof namedExamples>[number];

/** Reads a template's `components`; types come out in upper case. Throws code 100 that names the first malformed one. */
export const readTemplateComponents = (value: unknown): TemplateComponent[] =>
  readParts(Array.isArray(value) && value.length === 0 ? undefined : value, component, "is malformed or of an unknown type.");

/** `fault`: what is said of the first part that is none of the schema's. */
export function readParts<Part>(value: unknown, schema: z.ZodType<Part>, fault: string): Part[] {
  if (!Array.isArray(value)) throw invalidParameter("The parameter components is required.");
  return value.map((item: unknown, index) => {
    const result = schema.safeParse(item);
    if (!result.success) throw invalidParameter(`Param components[${index}] ${fault}`);
    return result.data;
  });
}

const variablePattern = /\{\{([a-z0-9_]+)\}\}/g;

/** The names of a text's variables (`1`, `2` or words) in order of first appearance. */
export const variablesOf = (text: string): string[] => [...new Set(Array.from(text.matchAll(variablePattern), (match) => match[1] ?? ""))];

/** Replaces the variables that have a value; the others stay. */
export const fillVariables = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(variablePattern, (whole, name: string) => values.get(name) ?? whole);

/** Replaces each variable by a space. */
export const withoutVariables = (text: string): string => text.replace(variablePattern, " ");

/** The names of slots: positional variables in numeric order, named ones in the order of the text. */
export function slotNames(text: string, named: boolean): string[] {
  const names = variablesOf(text);
  return named ? names : names.toSorted((a, b) => Number(a) - Number(b));
}
