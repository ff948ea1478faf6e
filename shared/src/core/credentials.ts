export const shortestPassword = 10;

/** The scopes that an access token may have, within its role. */
export const tokenScopes = [
  "read",
  "send_test",
  "bindings",
  "templates",
  "resend",
  "rotate_secrets",
  "sites",
  "webhooks",
  "settings",
] as const;
export type TokenScope = (typeof tokenScopes)[number];
