import { z } from "zod";
import { shortestPassword, tokenScopes } from "../credentials.ts";
import { optOutScopes, optOutSources } from "../message.ts";
import { roles } from "../role.ts";
import { rule } from "../wording.ts";
import {
  atMost,
  countMembers,
  filledText,
  listMembers,
  searchSchema,
  timeRangeMembers,
  emailSchema,
  nameSchema,
  phoneSchema,
  instantSchema,
  idSchema,
  tooLong,
} from "./values.ts";

export const auditFilterMembers = {
  /** An e-mail address. */
  actor: searchSchema.optional(),
  /** A procedure, such as `sites.create`. */
  action: searchSchema.optional(),
  /** A part of the name of what was changed, as it is called now, of its site, or of who changed it. */
  search: searchSchema.optional(),
  ...timeRangeMembers,
};

export const listAuditInput = z.strictObject({ ...auditFilterMembers, ...listMembers }).prefault({});

export const countAuditInput = z.strictObject({ ...auditFilterMembers, ...countMembers }).prefault({});

const longestPassword = 200;

/** A password to check, exactly as typed: only its length is bounded, so that a huge one costs nothing. */
export const passwordSchema = z.string().max(longestPassword, atMost(longestPassword));

/** Any text may be tried as an address: a sign-in answers alike whether or not it is one. */
export const loginInput = z.strictObject({ email: z.string().trim().max(254, tooLong(254)), password: passwordSchema });

/** A new password. The server also refuses common ones. */
export const newPasswordSchema = passwordSchema.refine(
  (password) => Array.from(password).length >= shortestPassword,
  rule("Must have at least {least} characters", { least: shortestPassword }),
);

export const signUpInput = z.strictObject({
  accountName: nameSchema,
  email: emailSchema,
  password: newPasswordSchema,
  name: nameSchema.optional(),
  /** The setup code, needed for the first sign-up unless it comes from the server's own machine. */
  setupCode: z.string().trim().max(200, tooLong(200)).optional(),
});

export const changePasswordInput = z.strictObject({ currentPassword: passwordSchema, newPassword: newPasswordSchema });

/** A code of an authenticator app, or a recovery code, as a person types it. */
const codeSchema = filledText(100, rule("Enter the code"));

const longestPasskeyResponse = 20_000;

/** The answer of the browser's WebAuthn, as JSON; its members differ between browsers. */
const passkeyResponseSchema = z
  .record(z.string().max(100), z.unknown())
  .refine((response) => JSON.stringify(response).length <= longestPasskeyResponse, atMost(longestPasskeyResponse));

const passkeyChallengeSchema = z.string().max(1000);

/** A proof of the person. */
export const confirmInput = z.union([
  z.strictObject({ password: passwordSchema }),
  z.strictObject({ code: codeSchema }),
  z.strictObject({ challenge: passkeyChallengeSchema, response: passkeyResponseSchema }),
]);

export const addPasskeyInput = z.strictObject({ response: passkeyResponseSchema, name: nameSchema });

/** `challenge` is the answer of `startPasskeySignIn`. */
export const passkeySignInInput = z.strictObject({ challenge: passkeyChallengeSchema, response: passkeyResponseSchema });

/** `challenge` is the answer of the first half of the sign-in. */
export const secondFactorInput = z.strictObject({ challenge: z.string().max(200), code: codeSchema });

export const confirmTotpInput = z.strictObject({ code: codeSchema });

export const removeTotpInput = z.strictObject({ password: passwordSchema });

export const switchAccountInput = z.strictObject({ accountId: idSchema });

/** Any text may be typed: the answer is the same whether or not somebody has that address. */
export const forgotPasswordInput = loginInput.pick({ email: true });

export const resetPasswordInput = z.strictObject({ token: z.string().trim().max(200), password: newPasswordSchema });

export const changeEmailInput = z.strictObject({ email: emailSchema });

export const madeSinceInput = z.strictObject({ since: instantSchema });

/** The token of a link that was mailed. */
export const linkTokenInput = z.strictObject({ token: z.string().trim().max(2_000) });

/** `name` and `password` are left out by a person whom the OpenID issuer signed in with the invited address. */
export const acceptInviteInput = resetPasswordInput.partial({ password: true }).extend({ name: nameSchema.optional() });

/** `search`: a phone, or the name, order or value of an event whose message the person was to get. */
export const listOptOutsInput = z
  .strictObject({
    phone: phoneSchema.optional(),
    search: searchSchema.optional(),
    scope: z.enum(optOutScopes).optional(),
    source: z.enum(optOutSources).optional(),
    ...listMembers,
  })
  .prefault({});

export const createTokenInput = z.strictObject({
  name: nameSchema,
  role: z.enum(roles),
  /** The token's scopes, within its role; absent: everything that the role may do. */
  scopes: z.array(z.enum(tokenScopes)).min(1, rule("Choose at least one")).max(tokenScopes.length).optional(),
  /** The token's end; 90 days from now when absent; null: until it is revoked. */
  expiresAt: instantSchema.nullish(),
});

export const inviteInput = z.strictObject({ email: emailSchema, role: z.enum(roles) });

/** `ifRole`: the role that the caller has read. */
export const setRoleInput = z.strictObject({ id: idSchema, role: z.enum(roles), ifRole: z.enum(roles).optional() });
