import { z } from "zod";
import { conditionsSchema } from "../conditions.ts";
import { recipientSchema } from "../recipient.ts";
import { scheduleMembers } from "../schedule/schedule.ts";
import { templateChangesShape } from "../template/check.ts";
import { templateStatuses } from "../template/definition.ts";
import { variableMapSchema } from "../variables.ts";
import { eventFilterSchema } from "./log.ts";
import { eventNameSchema, idSchema, listMembers, payloadSchema, searchSchema } from "./values.ts";

export const createBindingInput = z.strictObject({
  siteId: idSchema,
  event: eventNameSchema,
  templateId: idSchema,
  recipient: recipientSchema,
  variableMap: variableMapSchema,
  conditions: conditionsSchema.nullish(),
  ...scheduleMembers,
  enabled: z.boolean().optional(),
});

export const updateBindingInput = createBindingInput.partial().extend({ id: idSchema });

export const listBindingsInput = z
  .strictObject({ siteId: idSchema.optional(), event: eventFilterSchema.optional(), templateId: idSchema.optional(), ...listMembers })
  .prefault({});

export const previewBindingInput = createBindingInput.omit({ enabled: true }).extend({ payload: payloadSchema });

export const listTemplatesInput = z
  .strictObject({
    status: z.enum(templateStatuses).optional(),
    /** Part of the name or of the body, in any case. */
    search: searchSchema.optional(),
    ...listMembers,
  })
  .prefault({});

/** The file of a media header: by its address, or by the id of an uploaded one. */
export const setHeaderMediaInput = z.strictObject({ id: idSchema, url: z.string().optional(), fileId: idSchema.optional() });

/** The template that comes of it has to pass `templateInputSchema`. */
export const updateTemplateInput = templateChangesShape.extend({ id: idSchema });
