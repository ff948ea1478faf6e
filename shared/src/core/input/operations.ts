import { z } from "zod";
import { operationKinds, operationStates } from "../operation.ts";
import { idSchema, listMembers } from "./values.ts";

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
    ...listMembers,
  })
  .prefault({});
