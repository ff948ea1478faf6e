import { TRPCError } from "@trpc/server";
import type { JsonValue } from "shared/core/json";
import { maskPhone, maskPhonesIn, maskPhonesInJson, maskPhonesWithin } from "shared/core/mask";
import { isAtLeast, type Role } from "shared/core/role";
import type { Caller } from "../session/caller.ts";

/** The caller, who may do what that role may. */
export function requireRole(caller: Caller | null, needed: Role): Caller {
  if (caller === null) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first" });
  if (isAtLeast(caller.role, needed)) return caller;
  throw new TRPCError({ code: "FORBIDDEN", message: `This takes the role ${needed}; yours is ${caller.role}` });
}

/** Whether somebody may see phones; who may not gets them masked wherever they stand. */
export const seesPhones = (role: Role): boolean => isAtLeast(role, "operator");

export const shownPhone = (phone: string, role: Role): string => (seesPhones(role) ? phone : maskPhone(phone));

/** A text that may hold phones. */
export const shownText = (text: string, role: Role): string => (seesPhones(role) ? text : maskPhonesIn(text));

/** A JSON text that may. */
export const shownJson = (json: string, role: Role): string => (seesPhones(role) ? json : maskPhonesInJson(json));

/** A value with texts that may. */
export const shownValue = <T>(value: T, role: Role): T => (seesPhones(role) ? value : (maskPhonesWithin(value as JsonValue) as T));

/** To whom phones are masked, looking one up would tell whether it is there. */
export function requirePhoneSearch(role: Role, searched: string | undefined): void {
  if (searched === undefined || seesPhones(role)) return;
  throw new TRPCError({ code: "FORBIDDEN", message: "Looking for a phone takes the role operator; leave it out" });
}
