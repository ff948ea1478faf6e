import { z } from "zod";
import { instantSchema } from "./instant.ts";
import { nameSchema } from "./name.ts";
import { roles } from "./role.ts";

export const createTokenInput = z.object({
  name: nameSchema,
  role: z.enum(roles),
  /** Null and absent: until it is revoked. */
  expiresAt: instantSchema.nullish(),
});
