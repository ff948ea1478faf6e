import { z } from "zod";
import { describeReason } from "../reason.ts";
import { checkTemplate } from "../template/check.ts";
import { limits, mediaFormats } from "../template/platform-limits.ts";
import { rule } from "../wording.ts";
import { idSchema, tooLong } from "./values.ts";

/** A text that may be longer than the platform allows, so that the advice can say by how much, but not without end. */
const upTo = (most: number) => z.string().max(most, tooLong(most));
const [name, word, line, label, body, link] = [600, 100, 300, 100, 2_048, 2_200].map(upTo) as [...Schemas];
type Schemas = [z.ZodString, z.ZodString, z.ZodString, z.ZodString, z.ZodString, z.ZodString];

/** As many examples as the longest body has variables. */
const mostExamples = 200;
const mostButtons = 15;
/** All of a part together fill one text. */
const texts = z
  .array(link)
  .max(mostExamples)
  .refine(
    (given) => given.reduce((sum, text) => sum + text.length, 0) <= 4_400,
    rule("Has at most {most, number} characters in all", { most: 4_400 }),
  );

const headerSchema = z.discriminatedUnion("format", [
  z.strictObject({ format: z.literal("TEXT"), text: line }),
  /** A header with a file, by its address, or by the id of a file that was uploaded here. */
  z.strictObject({ format: z.enum(mediaFormats), url: link.optional(), fileId: idSchema.optional() }),
]);

const buttonSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("URL"), text: label, url: link }),
  z.strictObject({ type: z.literal("QUICK_REPLY"), text: label }),
  z.strictObject({ type: z.literal("PHONE_NUMBER"), text: label, phone: label }),
]);

const authenticationSchema = z.strictObject({
  addSecurityRecommendation: z.boolean().optional(),
  codeExpirationMinutes: z
    .int(rule("Must be a whole number of minutes"))
    .min(1, rule("Must be at least 1"))
    .max(limits.codeMinutes, rule("Must be at most {most}", { most: limits.codeMinutes }))
    .optional(),
  buttonText: label.optional(),
});

/** The shape of a template without the platform's rules, which `templateInputSchema` adds. */
export const uncheckedTemplateSchema = z.strictObject({
  name,
  language: word,
  category: word,
  header: headerSchema.nullish(),
  body: body.default(""),
  footer: line.nullish(),
  buttons: z.array(buttonSchema).max(mostButtons).nullish(),
  examples: z.strictObject({ header: texts.optional(), body: texts.optional(), buttonUrl: texts.optional() }).nullish(),
  authentication: authenticationSchema.nullish(),
  ttlSeconds: z.int(rule("Must be a whole number of seconds")).nullish(),
});

/** The members that a change may name. */
export const templateChangesShape = uncheckedTemplateSchema.extend({ body }).partial();

/** A template that keeps every rule of the platform; each broken one is an issue at its field, with the reason as `params`. Examples may come before it is submitted. */
export const templateInputSchema = uncheckedTemplateSchema.superRefine((input, context) => {
  for (const { field, reason, awaited } of checkTemplate(input)) {
    if (awaited) continue;
    context.addIssue({ code: "custom", input, path: pathOf(field), message: `${field}: ${describeReason(reason)}`, params: { reason } });
  }
});

const pathOf = (field: string): (string | number)[] => field.split(".").map((key) => (Number.isNaN(Number(key)) ? key : Number(key)));
