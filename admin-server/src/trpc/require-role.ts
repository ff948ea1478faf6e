import { TRPCError } from "@trpc/server";
import { isAtLeast, type Role } from "shared/core/role";
import type { Caller } from "../session/caller.ts";

/** The caller, who may do what that role may. */
export function requireRole(caller: Caller | null, needed: Role): Caller {
  if (caller === null) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first" });
  if (isAtLeast(caller.role, needed)) return caller;
  throw new TRPCError({ code: "FORBIDDEN", message: `This takes the role ${needed}; yours is ${caller.role}` });
}
