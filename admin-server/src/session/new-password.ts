import { newPasswordSchema } from "shared/core/input/team";
import { isCommonPassword } from "./common-password.ts";

/** A password to be set, not one of those that are tried first. */
export const strongPasswordSchema = newPasswordSchema.refine(
  (password) => !isCommonPassword(password),
  "Is one of the most common passwords: choose another",
);
