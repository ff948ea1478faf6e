import { z } from "zod";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { nameSchema } from "./name.ts";
import { phoneSchema } from "./phone.ts";
import { searchSchema } from "./search.ts";

export const sourceTypes = ["woocommerce", "shopify", "generic"] as const;
export type SourceType = (typeof sourceTypes)[number];

export const createSiteInput = z.object({
  name: nameSchema,
  url: z.url({ protocol: /^https?$/, error: "Must be a URL that begins with https:// or http://" }).max(2000),
  sourceType: z.enum(sourceTypes),
  testPhone: phoneSchema.nullish(),
});

/** `search`: part of the name or of the URL. */
export const listSitesInput = z.object({ search: searchSchema.optional(), ...listMembers }).prefault({});

export const updateSiteInput = createSiteInput.partial().extend({
  id: idSchema,
  enabled: z.boolean().optional(),
  requireTimestamp: z.boolean().optional(),
  /** Accepted requests a second; null for no limit. */
  rateLimitPerSecond: z.int().min(1).max(1_000_000).nullish(),
});

/** For how many seconds the one that is replaced counts beside the new one: up to a day, none unless said. */
const longestOverlap = 86_400;
export const rotateInput = z.object({ id: idSchema, overlapSeconds: z.int().min(0).max(longestOverlap).default(0) });
