import type { TokenScope } from "shared/core/credentials";
import type { JsonValue } from "shared/core/json";
import { maskedText } from "shared/core/known-values";
import { maskPhone, maskReachIn, maskReachInJson, maskReachWithin } from "shared/core/mask";
import { asciiDigits } from "shared/core/phone";
import { leastRole, may, type Right, type Role } from "shared/core/role";
import { isUuid } from "shared/core/uuid";
import { type Said, say } from "shared/core/wording";
import { isOwnPhone } from "shared/db/own-phones";
import type { ColumnOptions, Sql } from "shared/db/statement";
import type { Caller } from "../session/caller.ts";
import { accountMoves, notFromHere, Refusal, StepNeeded } from "./errors.ts";
import openToEnrolling from "./open-to-enrolling.json" with { type: "json" };
import { proofOf, scopeOf } from "./proofs.ts";

/** The caller, signed in and with at least that role. @throws TRPCError UNAUTHORIZED, FORBIDDEN */
export function requireRole(caller: Caller | null, needed: Role): Caller {
  if (caller === null) throw new Refusal("UNAUTHORIZED", say("Sign in first"));
  requireRight(caller.role, needed, say("This"));
  return caller;
}

/** @throws TRPCError FORBIDDEN; `doing` begins its message. */
export function requireRight(role: Role, right: Right, doing: Said): void {
  if (!may(role, right))
    throw new Refusal(
      "FORBIDDEN",
      say("{doing} needs the role {needed}; yours is {role}", { doing, needed: roleNames[leastRole(right)], role: roleNames[role] }),
    );
}

const roleNames: Record<Role, Said> = { owner: say("owner"), operator: say("operator"), viewer: say("viewer") };

/** Refuses calls that take a proof of the person from the last 10 minutes, if there is none. @throws TRPCError FORBIDDEN */
export function requireProof({ via }: Caller): void {
  if (via.kind === "access-token") throw new Refusal("FORBIDDEN", say("Access tokens cannot do this: sign in"));
  if (via.isProven) return;
  throw new Refusal(
    "FORBIDDEN",
    say("Confirm that it is you: call auth.confirm with your password or a code, then try again within 10 minutes"),
    new StepNeeded("confirm"),
  );
}

/**
 * Refuses a caller from an address from which the account lets nobody in, except for the way out, and a caller without a demanded second factor, except
 * for the enrolment, and all of an account that moves. `path`: the procedure. @throws TRPCError FORBIDDEN, SERVICE_UNAVAILABLE
 */
export function requireAdmission({ via, from, isMoving }: Caller, path: string): void {
  const isWayOut = via.kind === "session" && openFromElsewhere.has(path);
  if (!from.isAllowed && !isWayOut) throw notFromHere(from.address);
  if (isMoving && !isWayOut) throw accountMoves();
  if (via.kind === "access-token" || !via.mustEnroll || openToEnrol.has(path)) return;
  throw new Refusal(
    "FORBIDDEN",
    say("This account requires a second factor: set up an authenticator app (auth.enrollTotp) or a passkey first"),
    new StepNeeded("second_factor"),
  );
}

/** Calls by which people see where they are, and move to another account. */
const openFromElsewhere = new Set(["auth.me", "auth.logout", "auth.switchAccount"]);

/** Calls of the enrolment; `auth.confirm` gives the proof that it takes. */
const openToEnrol = new Set(openToEnrolling);

/** The same as `requireProof`; an access token needs no proof, since its scope was checked. */
export function requireProofOfPerson(caller: Caller): void {
  if (caller.via.kind === "session") requireProof(caller);
}

/** The same, of what deletes several things at once; null: nobody knows how many. */
export function requireProofOfMany(caller: Caller, count: number | null): void {
  if (count !== 1 && count !== 0) requireProofOfPerson(caller);
}

/** Refuses a mutation that takes a proof, whatever its input, of a caller without one. */
export function requireProofFor(caller: Caller, path: string): void {
  const takes = proofOf(path);
  if (takes === "person") requireProof(caller);
  if (takes === "always") requireProofOfPerson(caller);
}

/** Refuses to bring messages to a phone that the account's own lists and bindings do not hold, without a proof. */
export async function requireProofForPhone(sql: Sql, caller: Caller, phone: string | null | undefined): Promise<void> {
  if (phone == null || caller.via.kind === "access-token" || caller.via.isProven) return;
  if (!(await isOwnPhone(sql, caller.accountId, phone))) requireProof(caller);
}

/** Refuses calls of an access token that its scopes leave out or that are only for people. @throws TRPCError FORBIDDEN */
export function requireScope({ via }: Caller, path: string, kind: "query" | "mutation" | "subscription"): void {
  if (via.kind === "session" || openToTokens.has(path)) return;
  if (!isOpenToTokens(path)) throw new Refusal("FORBIDDEN", say("Access tokens cannot call {path}: sign in", { path }));
  requireTokenScope(via, path, kind === "mutation" ? scopeOf(path) : "read");
}

/** Whether an access token may ever call the procedure. */
export const isOpenToTokens = (path: string): boolean => openToTokens.has(path) || !/^(auth|users)\./.test(path);

/** Refuses an access token that has scopes, and not this one. @throws TRPCError FORBIDDEN */
export function requireTokenScope(via: Caller["via"], path: string, scope: TokenScope | null): void {
  if (via.kind === "session" || via.scopes === null || (scope !== null && via.scopes.includes(scope))) return;
  const needed = scope === null ? say("one without scopes") : say("one with the scope {scope}", { scope });
  throw new Refusal("FORBIDDEN", say("This access token cannot call {path}: create {needed}", { path, needed }));
}

/** Calls that need no scope: `assistant.follow` goes on under the scope of its question, and each change of a set-up under its own. */
const openToTokens = new Set(["auth.me", "auth.state", "assistant.follow", "setup.update"]);

/** Refuses a search by phone to a role that sees phones masked: a hit would reveal that the phone is there. */
export function requirePhoneSearch(role: Role, searched: string | undefined): void {
  if (searched !== undefined) requireRight(role, "seePhones", say("Looking for a phone"));
}

export const shownPhone = (phone: string, role: Role): string => (may(role, "seePhones") ? phone : maskPhone(phone));

/** Masks phones and e-mail addresses within the text. */
export const shownText = (text: string, role: Role): string => (may(role, "seePhones") ? text : maskReachIn(text));

/** An order's number or id. It is masked only if it is written as a phone, or holds the end of one of `phones`, those of the order's messages. */
export const shownNumber = (number: string, phones: readonly string[], role: Role): string =>
  asPhone.test(number) || phones.some((phone) => isWithin(phone, number)) ? shownText(number, role) : number;

const asPhone = /^\D*(?:\+|00)|@/;
const isWithin = (phone: string, number: string) => asciiDigits(number).replaceAll(/\D/g, "").includes(phone.slice(-7));

/** Hides a text in which people name others as they like. */
export const shownWhole = (text: string, role: Role): string => (text === "" || may(role, "seePhones") ? text : maskedText);

/** A cell of a list, its times as ISO 8601; null where the role may not see it. */
export function shownCell<Value>(value: Value, holds: ColumnOptions["holds"], role: Role): ShownCell<Value> | string | null {
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "string" || holds === undefined || may(role, "seePhones")) return value as ShownCell<Value>;
  if (holds === "encoded phone") return null;
  return holds === "phone" ? maskPhone(value) : maskReachIn(value);
}

export type ShownCell<Value> = Value extends Date ? string : Value;

/** The same, of a JSON text. */
export const shownJson = (json: string, role: Role): string => (may(role, "seePhones") ? json : maskReachInJson(json));

/** The same, of a value's texts; ids stay, though their digits may look like a phone. */
export const shownValue = <T>(value: T, role: Role): T =>
  may(role, "seePhones") ? value : (maskReachWithin(value as JsonValue, isUuid) as T);
