import { z } from "zod";
import { idSchema } from "./id.ts";

/** An order by its id with us, or by what its site calls it. */
export const orderTimelineInput = z.union(
  [z.object({ id: idSchema }), z.object({ siteId: idSchema, reference: z.string().trim().min(1).max(500) })],
  "Give the order's id, or siteId and reference: the order's id or number at the site",
);
