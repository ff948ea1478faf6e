import { z } from "zod";
import { emailSchema } from "./email.ts";
import { nameSchema } from "./name.ts";
import { newPasswordSchema, passwordSchema } from "./password.ts";

/** Any text may be tried as an address: a sign-in answers alike whether or not it is one. */
export const loginInput = z.object({ email: z.string().trim().max(254), password: passwordSchema });

export const signUpInput = z.object({
  accountName: nameSchema,
  email: emailSchema,
  password: newPasswordSchema,
  name: nameSchema.optional(),
  /** Asked of the first sign-up when it does not come from the server's own machine. */
  setupCode: z.string().trim().max(200).optional(),
});

export const changePasswordInput = z.object({ currentPassword: passwordSchema, newPassword: newPasswordSchema });

export const acceptInviteInput = z.object({ token: z.string().trim().max(200), name: nameSchema, password: newPasswordSchema });

export const resetPasswordInput = acceptInviteInput.omit({ name: true });
