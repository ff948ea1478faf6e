import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { invalidParameter, missingParameter, refusal } from "../errors/graph-error.ts";
import type { JsonObject } from "../http/read-json.ts";

export interface Recipient {
  /** As written. */
  input: string;
  /** Digits alone. */
  digits: string;
  /** The platform's own form of the number, which differs from the digits in some countries. */
  waId: string;
}

/** Reads `to` (platform facts, 1.5). Throws the platform's refusal of one that is missing, no number, or the sender itself. */
export function readRecipient(body: JsonObject, account: SandboxAccount): Recipient {
  const to = body["to"];
  if (to === undefined || to === "") {
    if (body["recipient"] !== undefined)
      throw refusal(131009, "The sandbox knows no business-scoped user ids: address people by phone number");
    throw missingParameter("to");
  }
  if (typeof to !== "string") throw invalidParameter("Param to must be a string.");
  const digits = digitsOf(to);
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw refusal(131009, "Recipient phone number is not a valid phone number");
  if (digits === account.phoneNumber) throw refusal(131021);
  return { input: to, digits, waId: waIdOf(digits) };
}

/** The number without what people put around its digits. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/[+\s()-]/g, "");
}

/** Accounts made before these countries changed their numbers keep the old form: the id then differs from the number. */
export function waIdOf(digits: string): string {
  if (/^55[3-9]\d9\d{8}$/.test(digits)) return digits.slice(0, 4) + digits.slice(5);
  if (/^52\d{10}$/.test(digits)) return `521${digits.slice(2)}`;
  if (/^54\d{10}$/.test(digits)) return `549${digits.slice(2)}`;
  return digits;
}
