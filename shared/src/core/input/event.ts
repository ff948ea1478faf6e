import { z } from "zod";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { searchSchema } from "./search.ts";
import { timeRangeMembers } from "./time-range.ts";

/** An event's name to look for: names are stored in lower case. */
export const eventFilterSchema = searchSchema.transform((name) => name?.toLowerCase());

export const listEventsInput = z
  .object({
    siteId: idSchema.optional(),
    event: eventFilterSchema.optional(),
    /** The order's id with us, as the ingest answer gives it. */
    orderId: idSchema.optional(),
    test: z.boolean().optional(),
    dryRun: z.boolean().optional(),
    ...timeRangeMembers,
    ...listMembers,
  })
  .prefault({});

export const tailEventsInput = z.object({ siteId: idSchema.optional() }).prefault({});
