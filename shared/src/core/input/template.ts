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

/** The template that comes of it has to pass `templateInputSchema`. */
export const updateTemplateInput = templateChangesShape.extend({ id: idSchema });
