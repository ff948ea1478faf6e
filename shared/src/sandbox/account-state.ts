import { z } from "zod";
import { webhookFields } from "../core/connection-check.ts";
import { type GraphError, refusal } from "./graph-error.ts";
import limits from "./messaging-limits.json" with { type: "json" };
import fresh from "./new-account-state.json" with { type: "json" };

/** Messaging limits of a portfolio with the number that callbacks give them: people in 24 hours, -1 for no limit. */
export const messagingLimits = limits;

const address = z.url({ protocol: /^https?$/ }).nullable();

const stateMembers = z.strictObject({
  quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]),
  limit: z.enum(Object.keys(messagingLimits) as (keyof typeof messagingLimits)[]),
  throughput: z.enum(["STANDARD", "HIGH"]),
  canSend: z.enum(["AVAILABLE", "LIMITED", "BLOCKED"]),
  nameStatus: z.enum(["APPROVED", "AVAILABLE_WITHOUT_REVIEW", "PENDING_REVIEW", "DECLINED", "EXPIRED", "NONE"]),
  /** Addresses that receive `messages` in place of the app's; the number's wins. */
  overrides: z.strictObject({ whatsapp_business_account: address.optional(), phone_number: address.optional() }),
  /** Most utility messages in any 24 hours. */
  utilityCap: z.int().min(0).max(100_000).nullable(),
  /** Where the cap's refusals come: in the answer, or by callback after a 200. */
  utilityCapBy: z.enum(["answer", "callback"]),
  marketingOnMessages: z.boolean(),
  /** Whether the account may use `/marketing_messages`. */
  marketingMessages: z.boolean(),
  directSend: z.boolean(),
  /** The fields that the app's webhook is subscribed to; null: all. */
  fields: z.array(z.enum(webhookFields)).max(webhookFields.length).nullable(),
  /** What messages cost from now on; null: what they cost on the platform. */
  price: z
    .strictObject({
      type: z.enum(["regular", "free_customer_service", "free_entry_point"]),
      category: z.enum(["utility", "marketing", "marketing_lite", "authentication", "authentication_international", "service"]).optional(),
    })
    .nullable(),
});

/** The part of an account's state that `PATCH /_sandbox/accounts/{wabaId}` sets. */
export const stateChange = stateMembers.partial();

export interface AccountState extends z.output<typeof stateMembers> {
  /** False between `deregister` and `register`. */
  registered: boolean;
  restrictions: readonly Restriction[];
}

interface Restriction {
  /** The platform's `restriction_type`. */
  type: string;
  /** Milliseconds since 1970; null while no end is known. */
  until: number | null;
}

export const newState = fresh as AccountState;

export const isRestricted = ({ restrictions }: AccountState, type: string, now: number): boolean =>
  restrictions.some((one) => one.type === type && (one.until === null || one.until > now));

/** Whether no message of the number can leave, whatever it says. */
export const isBlocked = (state: AccountState, now: number): boolean =>
  state.canSend === "BLOCKED" || isRestricted(state, "RESTRICTED_BIZ_INITIATED_MESSAGING", now);

/** The refusal of every message of the account, null while there is none. */
export function refusalOfAccount(state: AccountState, refuseCode: number | null, now: number): GraphError | null {
  if (refuseCode !== null) return refusal(refuseCode);
  if (!state.registered) return refusal(133010);
  return isBlocked(state, now) ? refusal(131031) : null;
}
