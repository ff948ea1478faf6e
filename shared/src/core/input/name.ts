import { z } from "zod";

/** What people call something: one line, not blank. */
export const nameSchema = z
  .string()
  .trim()
  .min(1, "Must not be empty")
  .max(200, "Has at most 200 characters")
  .regex(/^\P{Cc}*$/u, "Must be one line without control characters");
