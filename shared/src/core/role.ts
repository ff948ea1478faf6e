import table from "./abilities.json" with { type: "json" };

/** Roles from the fewest rights to the most. Each may do what those before it may. */
export const roles = ["viewer", "operator", "owner"] as const;
export type Role = (typeof roles)[number];

/** Whether `role` may do what `needed` may. */
export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** The least role for what a role decides beside the call itself. Procedures, routes and pages name their own. */
const abilities = table as Record<keyof typeof table, Role>;

type Ability = keyof typeof abilities;

/** An ability, or all that takes at least the role of that name. */
export type Right = Ability | Role;

export const leastRole = (right: Right): Role => (isAbility(right) ? abilities[right] : right);
const isAbility = (right: Right): right is Ability => right in abilities;

export const may = (role: Role, right: Right): boolean => isAtLeast(role, leastRole(right));

/** The one of the two that may do less. */
export const lesserRole = (a: Role, b: Role): Role => (isAtLeast(a, b) ? b : a);
