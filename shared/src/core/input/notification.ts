import { z } from "zod";
import { notificationStatuses } from "../notification-status.ts";
import { eventFilterSchema } from "./event.ts";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { searchSchema } from "./search.ts";
import { timeRangeMembers } from "./time-range.ts";

export const listNotificationsInput = z
  .object({
    siteId: idSchema.optional(),
    eventId: idSchema.optional(),
    status: z.enum(notificationStatuses).optional(),
    event: eventFilterSchema.optional(),
    phone: searchSchema.optional(),
    /** A template's name. */
    template: searchSchema.optional(),
    ...timeRangeMembers,
    ...listMembers,
  })
  .prefault({});
