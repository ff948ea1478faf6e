import { z } from "zod";
import { roles } from "../role.ts";
import { listMembers, searchSchema, timeRangeMembers, emailSchema, nameSchema, phoneSchema, instantSchema, idSchema } from "./values.ts";

export const auditFilterMembers = {
  /** An e-mail address. */
  actor: searchSchema.optional(),
  /** A procedure, such as `sites.create`. */
  action: searchSchema.optional(),
  ...timeRangeMembers,
};

export const listAuditInput = z.object({ ...auditFilterMembers, ...listMembers }).prefault({});

const longestPassword = 200;

/** A password as it is typed in to be checked: only bounded, so that a huge one costs nothing. */
export const passwordSchema = z.string().max(longestPassword, `Has at most ${longestPassword} characters`);

/** Any text may be tried as an address: a sign-in answers alike whether or not it is one. */
export const loginInput = z.object({ email: z.string().trim().max(254), password: passwordSchema });

export const shortestPassword = 10;

/** A password to be set. Whether it is a common one is for the server to say. */
export const newPasswordSchema = passwordSchema.refine(
  (password) => Array.from(password).length >= shortestPassword,
  `Must have at least ${shortestPassword} characters`,
);

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

export const listOptOutsInput = z.object({ phone: phoneSchema.optional(), ...listMembers }).prefault({});

/** The phone, typed by whoever asks: there is no list to pick from. */
export const erasePersonInput = z.object({ phone: phoneSchema });

export const createTokenInput = z.object({
  name: nameSchema,
  role: z.enum(roles),
  /** Null and absent: until it is revoked. */
  expiresAt: instantSchema.nullish(),
});

export const inviteInput = z.object({ email: emailSchema, role: z.enum(roles) });

export const setRoleInput = z.object({ id: idSchema, role: z.enum(roles) });
