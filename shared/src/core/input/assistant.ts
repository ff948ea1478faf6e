import { z } from "zod";
import { assistantProviders } from "../assistant.ts";
import { languages } from "../template/platform-limits.ts";
import { rule } from "../wording.ts";
import { eventNameSchema, idSchema, secretSchema, versionMember, webAddress } from "./values.ts";

function between(least: number, most: number) {
  const text = rule("Must be a whole number from {least, number} to {most, number}", { least, most });
  return z.int(text).min(least, text).max(most, text);
}

export const saveAssistantInput = z.strictObject({
  ...versionMember,
  provider: z.enum(assistantProviders),
  /** The URL; the provider's own unless given. */
  baseUrl: webAddress(rule("Must be an address like https://api.openai.com/v1")).optional(),
  model: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,200}$/, rule("Must be the model's name as the provider writes it, without spaces")),
  /** An omitted key keeps the stored one; null removes it. */
  apiKey: secretSchema.nullish(),
  timeoutSeconds: between(5, 120).optional(),
  outputTokens: between(200, 16_000).optional(),
  dailyTokens: between(1_000, 10_000_000).optional(),
});

const noLanguage = rule("Must be a language code of WhatsApp, such as en_US");
const languageSchema = z
  .string()
  .max(20, { error: noLanguage, abort: true })
  .refine((code) => languages.includes(code), noLanguage);

export const draftTemplateInput = z.strictObject({
  /** The content that the message should have. */
  request: z
    .string()
    .trim()
    .min(1, rule("Must say what the message is about"))
    .max(2000, rule("Has at most {most, number} characters", { most: 2_000 })),
  language: languageSchema,
});

export const translateTemplateInput = z.strictObject({ templateId: idSchema, language: languageSchema });

export const proposeBindingInput = z.strictObject({ siteId: idSchema, event: eventNameSchema, templateId: idSchema });

const turnSchema = z.strictObject({
  from: z.enum(["person", "assistant"]),
  text: z
    .string()
    .trim()
    .min(1, rule("Must not be empty"))
    .max(8_000, rule("Has at most {most, number} characters", { most: 8_000 })),
});

/** The conversation so far, the person's question last. */
const turnsSchema = z
  .array(turnSchema)
  .min(1, rule("Must contain a question"))
  .max(20, rule("Has at most 20 turns: start a new conversation"))
  .refine(
    (turns) => turns.every(({ from }, at) => from === (at % 2 === 0 ? "person" : "assistant")),
    rule("Must alternate, the person first"),
  )
  .refine((turns) => turns.length % 2 === 1, rule("Must end with the person's question"));

/** Explains an event, a message, or a site's latest failures. */
export const explainInput = z.union([
  z.strictObject({ eventId: idSchema, turns: turnsSchema }),
  z.strictObject({ notificationId: idSchema, turns: turnsSchema }),
  z.strictObject({ siteId: idSchema, turns: turnsSchema }),
]);

/** The questions to an assistant. */
export const assistantQuestion = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("draftTemplate"), input: draftTemplateInput }),
  z.strictObject({ kind: z.literal("translateTemplate"), input: translateTemplateInput }),
  z.strictObject({ kind: z.literal("proposeBinding"), input: proposeBindingInput }),
  z.strictObject({ kind: z.literal("explain"), input: explainInput }),
]);

export type AssistantQuestion = z.output<typeof assistantQuestion>;
