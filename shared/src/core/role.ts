/** Roles from the fewest rights to the most. Each may do what those before it may. */
export const roles = ["viewer", "operator", "owner"] as const;
export type Role = (typeof roles)[number];

/** Whether `role` may do what `needed` may. */
export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** The one of the two that may do less. */
export const lesserRole = (a: Role, b: Role): Role => (isAtLeast(a, b) ? b : a);

/** The scopes that an access token may have, within its role. */
export const tokenScopes = ["read", "send_test", "bindings", "templates", "resend", "rotate_secrets"] as const;
export type TokenScope = (typeof tokenScopes)[number];
