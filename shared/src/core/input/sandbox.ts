import { z } from "zod";
import { idSchema, phoneSchema } from "./values.ts";

const hours = z.int().min(1).max(720);

/** What the sandbox plays: a person's choices, the account's state, what the platform says of the account, or of a template. */
export const sandboxControlInput = z.discriminatedUnion("of", [
  z.strictObject({
    of: z.literal("person"),
    phone: phoneSchema,
    phoneVisible: z.boolean().optional(),
    /** Whether the business blocked the person, and the reverse. */
    blocked: z.boolean().optional(),
    blocksBusiness: z.boolean().optional(),
  }),
  z.strictObject({
    of: z.literal("account"),
    quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]).optional(),
    limit: z.enum(["TIER_50", "TIER_250", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED", "NOT_SET"]).optional(),
    throughput: z.enum(["STANDARD", "HIGH"]).optional(),
    canSend: z.enum(["AVAILABLE", "LIMITED", "BLOCKED"]).optional(),
    /** The most utility messages in 24 hours; null: any number. */
    utilityCap: z.int().min(0).max(100_000).nullish(),
    marketingOnMessages: z.boolean().optional(),
    /** What messages cost from now on; null: as on the platform. */
    price: z
      .strictObject({ type: z.enum(["regular", "free_customer_service", "free_entry_point"]), category: z.enum(["marketing"]).optional() })
      .nullish(),
  }),
  z.strictObject({
    of: z.literal("news"),
    news: z.enum(["warning", "RESTRICTED_BIZ_INITIATED_MESSAGING", "RESTRICTED_UTILITY_TEMPLATES", "DISABLE", "REINSTATE"]),
    /** The length of a restriction. */
    hours: hours.optional(),
  }),
  z.strictObject({
    of: z.literal("template"),
    id: idSchema,
    announceCategory: z.enum(["UTILITY", "MARKETING"]).nullish(),
    hold: z.boolean().optional(),
  }),
]);
