import type { z } from "zod";
import { checkTemplate } from "./check.ts";
import { uncheckedTemplateSchema } from "./unchecked-template.ts";

/** A template that keeps every rule of the platform; each broken one is an issue at its field. Examples may come before it is submitted. */
export const templateInputSchema = uncheckedTemplateSchema.superRefine((input, context) => {
  for (const { field, message, awaited } of checkTemplate(input)) {
    if (awaited) continue;
    context.addIssue({ code: "custom", input, path: pathOf(field), message: `${field}: ${message}` });
  }
});

export type TemplateInput = z.infer<typeof templateInputSchema>;

/** What `templates.update` may change. The template that comes of it has to pass `templateInputSchema`. */
export const templateChangesShape = uncheckedTemplateSchema.partial();

const pathOf = (field: string): (string | number)[] => field.split(".").map((key) => (Number.isNaN(Number(key)) ? key : Number(key)));
