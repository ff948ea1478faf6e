import { z } from "zod";
import { listMembers } from "./list.ts";
import { searchSchema } from "./search.ts";
import { timeRangeMembers } from "./time-range.ts";

export const auditFilterMembers = {
  /** An e-mail address. */
  actor: searchSchema.optional(),
  /** A procedure, such as `sites.create`. */
  action: searchSchema.optional(),
  ...timeRangeMembers,
};

export const listAuditInput = z.object({ ...auditFilterMembers, ...listMembers }).prefault({});
