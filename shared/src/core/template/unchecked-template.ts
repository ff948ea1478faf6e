import { z } from "zod";
import { idSchema } from "../input/id.ts";
import { mediaFormats } from "./media-types.ts";

const texts = z.array(z.string()).max(1000);

const headerSchema = z.discriminatedUnion("format", [
  z.strictObject({ format: z.literal("TEXT"), text: z.string() }),
  /** By the file's address, or by the id of a file that was uploaded here. */
  z.strictObject({ format: z.enum(mediaFormats), url: z.string().optional(), fileId: idSchema.optional() }),
]);

const buttonSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("URL"), text: z.string(), url: z.string() }),
  z.strictObject({ type: z.literal("QUICK_REPLY"), text: z.string() }),
  z.strictObject({ type: z.literal("PHONE_NUMBER"), text: z.string(), phone: z.string() }),
]);

/** The shape alone: `templateInputSchema` has the rules. */
export const uncheckedTemplateSchema = z.strictObject({
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

/** A template as somebody writes it, before any rule of the platform was looked at. */
export type UncheckedTemplate = z.infer<typeof uncheckedTemplateSchema>;
