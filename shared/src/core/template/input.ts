import { z } from "zod";
import { checkTemplate } from "./check.ts";

const texts = z.array(z.string()).max(1000);

const headerSchema = z.discriminatedUnion("format", [
  z.strictObject({ format: z.literal("TEXT"), text: z.string() }),
  z.strictObject({ format: z.enum(["IMAGE", "VIDEO", "DOCUMENT"]), url: z.string() }),
]);

const buttonSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("URL"), text: z.string(), url: z.string() }),
  z.strictObject({ type: z.literal("QUICK_REPLY"), text: z.string() }),
  z.strictObject({ type: z.literal("PHONE_NUMBER"), text: z.string(), phone: z.string() }),
]);

/** The shape alone, to build other schemas on. */
export const templateInputShape = z.strictObject({
  name: z.string(),
  language: z.string(),
  category: z.string(),
  header: headerSchema.nullish(),
  body: z.string(),
  footer: z.string().nullish(),
  buttons: z.array(buttonSchema).nullish(),
  /** In slot order; `buttonUrl` are the variable parts. */
  examples: z.strictObject({ header: texts.optional(), body: texts.optional(), buttonUrl: texts.optional() }).nullish(),
});

/** A template as somebody writes it, for `templates.create`. */
export type TemplateInput = z.infer<typeof templateInputShape>;

/** A template that keeps every rule of the platform; each broken one is an issue at its field. */
export const templateInputSchema = templateInputShape.superRefine((input, context) => {
  for (const { field, message } of checkTemplate(input)) {
    context.addIssue({ code: "custom", input, path: pathOf(field), message: `${field}: ${message}` });
  }
});

/** What `templates.update` may change. The template that comes of it has to pass `templateInputSchema`. */
export const templateChangesShape = templateInputShape.partial();

const pathOf = (field: string): (string | number)[] => field.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key));
