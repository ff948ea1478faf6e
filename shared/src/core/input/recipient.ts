import { z } from "zod";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { nameSchema } from "./name.ts";
import { phoneSchema } from "./phone.ts";

/** Most active phones in one site's list. */
export const activePhonesLimit = 200;

export const listRecipientsInput = z.object({ siteId: idSchema, ...listMembers });

export const addRecipientInput = z.object({
  siteId: idSchema,
  phone: phoneSchema,
  /** Whose phone it is; null or empty for none. */
  label: z.union([nameSchema, z.literal("")]).nullish(),
  active: z.boolean().optional(),
});

export const updateRecipientInput = addRecipientInput.partial().extend({ id: idSchema });
