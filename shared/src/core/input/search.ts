import { z } from "zod";

/** Text to look for: whatever was typed, without the NUL that no stored text holds; undefined when nothing is left. */
export const searchSchema = z
  .string()
  .max(500)
  .transform((text) => text.replaceAll("\u0000", "").trim() || undefined);
