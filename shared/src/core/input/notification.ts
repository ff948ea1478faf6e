import { z } from "zod";
import { notificationStatuses } from "../notification-status.ts";
import { eventFilterSchema } from "./event.ts";
import { idSchema } from "./id.ts";
import { listMembers } from "./list.ts";
import { searchSchema } from "./search.ts";
import { timeRangeMembers } from "./time-range.ts";

const filterMembers = {
  siteId: idSchema.optional(),
  eventId: idSchema.optional(),
  /** The event's name. */
  event: eventFilterSchema.optional(),
  phone: searchSchema.optional(),
  /** A template's name. */
  template: searchSchema.optional(),
  ...timeRangeMembers,
};

export const notificationFilterInput = z.object({
  ...filterMembers,
  status: z.enum(notificationStatuses).optional(),
  /** The platform's id of the message. */
  waMessageId: searchSchema.optional(),
  errorCode: searchSchema.optional(),
  /** A phone, the platform's id of a message, or the id of a message, an event or an order. */
  search: searchSchema.optional(),
});

export const listNotificationsInput = notificationFilterInput.extend(listMembers).prefault({});

/** `force`: also what would fail in the same way as far as can be told. */
export const resendNotificationInput = z.object({ id: idSchema, force: z.boolean().default(false) });

/** Which failed messages to send again. Those that only help when something has changed at the recipient's side must be named by their error code. */
export const resendFilterInput = z.object({ ...filterMembers, errorCode: searchSchema.optional() }).prefault({});

export const resendManyInput = resendFilterInput
  .unwrap()
  .extend({ force: z.boolean().default(false) })
  .prefault({});
