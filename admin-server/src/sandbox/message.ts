import { z } from "zod";

const text = z.object({ format: z.literal("TEXT"), text: z.string() });
const media = z.object({ format: z.enum(["IMAGE", "VIDEO", "DOCUMENT"]), link: z.string().nullable() });
const other = z.object({ format: z.string() });

/** A message as the sandbox's phone holds it. `text` is all of it as plain text. */
export const sandboxMessageSchema = z.object({
  id: z.string(),
  to: z.string(),
  template: z.string(),
  language: z.string(),
  components: z.unknown(),
  text: z.string(),
  at: z.string(),
  status: z.string(),
  readAt: z.string().optional(),
  header: z.union([text, media, other]).nullable(),
  body: z.string(),
  footer: z.string().nullable(),
  buttons: z.array(z.looseObject({ text: z.string() })),
});
export type SandboxMessage = z.output<typeof sandboxMessageSchema>;
