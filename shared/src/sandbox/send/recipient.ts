import { invalidParameter, missingParameter, refusal } from "../graph-error.ts";
import type { JsonObject, SandboxContext } from "../http.ts";
import { newPerson, type Person, userIdPattern } from "../people.ts";
import type { SandboxAccount } from "../store.ts";

export interface Recipient {
  /** The recipient as written. */
  input: string;
  /** Digits only; a user id of nobody as written. */
  digits: string;
  /** The platform's own form of the number, which differs from the digits in some countries. */
  waId: string;
  /** Whether `recipient` named a user id. */
  byUserId: boolean;
  userId: string;
  person: Person;
  /** `lost` is a user id in `to`: the platform takes the message and does nothing with it, ever. */
  reach: "somebody" | "nobody" | "lost";
}

/** Reads `to`, else `recipient`. Throws the platform's refusal when both are missing, one is not well-formed, or it is the sender itself. */
export function readRecipient({ people }: Pick<SandboxContext, "people">, body: JsonObject, account: SandboxAccount): Recipient {
  const { wabaId, phoneNumber } = account;
  const { to, recipient: userId } = body;
  if (to === undefined || to === "") {
    if (userId === undefined || userId === "") throw missingParameter("to");
    if (typeof userId !== "string") throw invalidParameter("Param recipient must be a string.");
    if (!userIdPattern.test(userId)) throw refusal(131009, "Recipient user id is not valid");
    const person = people.byUserId(wabaId, userId);
    const digits = person?.waId ?? userId;
    const reach = person === undefined ? "nobody" : "somebody";
    return { input: userId, digits, waId: digits, byUserId: true, userId, person: person ?? stranger(userId), reach };
  }
  if (typeof to !== "string") throw invalidParameter("Param to must be a string.");
  if (userIdPattern.test(to)) return { input: to, digits: to, waId: to, byUserId: false, userId: to, person: stranger(to), reach: "lost" };
  const digits = to.replaceAll(/[+\s()-]/g, "");
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw refusal(131009, "Recipient phone number is not a valid phone number");
  if (digits === phoneNumber) throw refusal(131021);
  const waId = waIdOf(digits);
  const person = people.find(wabaId, waId);
  return { input: to, digits, waId, byUserId: false, userId: people.userId(wabaId, person), person, reach: "somebody" };
}

const stranger = (userId: string): Person => ({ ...newPerson, waId: userId, phoneVisible: false });

/** The platform's form of a number. Accounts older than their country's new numbering keep the old form, so that the id differs from the number. */
export function waIdOf(digits: string): string {
  if (/^55[3-9]\d9\d{8}$/.test(digits)) return digits.slice(0, 4) + digits.slice(5);
  if (/^52\d{10}$/.test(digits)) return `521${digits.slice(2)}`;
  if (/^54\d{10}$/.test(digits)) return `549${digits.slice(2)}`;
  return digits;
}
