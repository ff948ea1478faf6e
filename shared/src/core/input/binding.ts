import { z } from "zod";
import { recipientSchema } from "../binding/recipient.ts";
import { variableMapSchema } from "../varspec/schema.ts";
import { eventNameSchema } from "./event-name.ts";
import { eventFilterSchema } from "./event.ts";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { payloadSchema } from "./payload.ts";

export const createBindingInput = z.object({
  siteId: idSchema,
  event: eventNameSchema,
  templateId: idSchema,
  recipient: recipientSchema,
  variableMap: variableMapSchema,
  enabled: z.boolean().optional(),
});

export const updateBindingInput = createBindingInput.partial().extend({ id: idSchema });

export const listBindingsInput = z
  .object({ siteId: idSchema.optional(), event: eventFilterSchema.optional(), templateId: idSchema.optional(), ...listMembers })
  .prefault({});

export const previewBindingInput = createBindingInput.omit({ enabled: true }).extend({ payload: payloadSchema });
