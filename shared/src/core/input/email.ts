import { z } from "zod";

export const emailSchema = z
  .string()
  .trim()
  .max(254, "An e-mail address has at most 254 characters")
  .pipe(z.email("Must be an e-mail address, such as ann@example.com"));
