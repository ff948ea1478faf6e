import { z } from "zod";
import { templateStatuses } from "../template/definition.ts";
import { templateChangesShape } from "../template/input.ts";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { searchSchema } from "./search.ts";

export const listTemplatesInput = z
  .object({
    status: z.enum(templateStatuses).optional(),
    /** Part of the name or of the body, in any case. */
    search: searchSchema.optional(),
    ...listMembers,
  })
  .prefault({});

/** The file of a media header: by its address, or by the id of an uploaded one. */
export const setHeaderMediaInput = z.object({ id: idSchema, url: z.string().optional(), fileId: idSchema.optional() });

/** The template that comes of it has to pass `templateInputSchema`. */
export const updateTemplateInput = templateChangesShape.extend({ id: idSchema });
