import { createContext, use } from "react";
import { isAtLeast, type Role } from "shared/core/role";
import type { Outputs } from "../trpc.ts";

/** Who is signed in, and to which account. */
export type Me = Outputs["auth"]["me"];

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error("Only pages of the signed-in part know who is signed in");
  return me;
}

/** Whether the person may do what takes the role `needed`. */
export const useMay = (needed: Role): boolean => isAtLeast(useMe().user.role, needed);
