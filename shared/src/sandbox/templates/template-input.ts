import { z } from "zod";
import { invalidParameter } from "../errors/graph-error.ts";
import type { TemplateComponent } from "./record.ts";

const upper = (value: unknown): unknown => (typeof value === "string" ? value.toUpperCase() : value);
const upperLiteral = <const T extends string>(value: T) => z.preprocess(upper, z.literal(value));
const upperEnum = <const T extends readonly [string, ...string[]]>(values: T) => z.preprocess(upper, z.enum(values));

const namedExamples = z.array(z.object({ param_name: z.string(), example: z.string() }));
const textHeader = z.object({
  type: upperLiteral("HEADER"),
  format: upperLiteral("TEXT"),
  text: z.string(),
  example: z.object({ header_text: z.array(z.string()).optional(), header_text_named_params: namedExamples.optional() }).optional(),
});
const mediaHeader = z.object({
  type: upperLiteral("HEADER"),
  format: upperEnum(["IMAGE", "VIDEO", "DOCUMENT"]),
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
]);
const buttons = z.object({ type: upperLiteral("BUTTONS"), buttons: z.array(button).min(1) });

const component = z.union([textHeader, mediaHeader, locationHeader, body, footer, buttons]);

/** A template's `components` in the platform's form, types in upper case. Throws code 100 that names the first one that has no known form. */
export function readTemplateComponents(value: unknown): TemplateComponent[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidParameter("The parameter components is required.");
  return value.map((item: unknown, index) => {
    const result = component.safeParse(item);
    if (!result.success) throw invalidParameter(`Param components[${index}] is malformed or of an unknown type.`);
    return result.data;
  });
}
