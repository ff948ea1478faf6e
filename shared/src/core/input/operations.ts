import { z } from "zod";
import { operationKinds, operationStates } from "../operation.ts";
import { atMost, idSchema, listMembers, searchSchema } from "./values.ts";

/** `siteId`: operations that are about this site alone. */
export const listOperationsInput = z
  .strictObject({
    kind: z.enum(operationKinds).optional(),
    /** All kinds but this one. */
    notKind: z.enum(operationKinds).optional(),
    state: z.enum(operationStates).optional(),
    /** True for those that are running or stopping, false for the others. */
    open: z.boolean().optional(),
    siteId: idSchema.optional(),
    /** A part of who has begun it, or of its site's name; those of `orKinds` match too. */
    search: searchSchema.optional(),
    orKinds: z.array(z.enum(operationKinds)).max(operationKinds.length, atMost(operationKinds.length)).optional(),
    ...listMembers,
  })
  .prefault({});
