import type { Role } from "shared/core/role";

/** What each role may do, in few words. */
export const roleWords: Record<Role, string> = {
  viewer: "sees all but secrets",
  operator: "runs sites and templates",
  owner: "everything, people too",
};
