import { z } from "zod";
import { notificationStatuses } from "../message.ts";
import { eventNameSchema, idSchema, listMembers, searchSchema, timeRangeMembers, endSchema, instantSchema } from "./values.ts";

export const eventNamesInput = z.object({ siteId: idSchema, ...listMembers });

export const eventFieldsInput = z.object({ siteId: idSchema, event: eventNameSchema });

/** An event's name to look for: names are stored in lower case. */
export const eventFilterSchema = searchSchema.transform((name) => name?.toLowerCase());

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

export const listEventsInput = z
  .object({
    siteId: idSchema.optional(),
    event: eventFilterSchema.optional(),
    /** The order's id with us, as the ingest answer gives it. */
    orderId: idSchema.optional(),
    test: z.boolean().optional(),
    dryRun: z.boolean().optional(),
    ...timeRangeMembers,
    ...listMembers,
  })
  .prefault({});

export const tailEventsInput = z.object({ siteId: idSchema.optional() }).prefault({});

/** An order by its id with us, or by what its site calls it. */
export const orderTimelineInput = z.union(
  [z.object({ id: idSchema }), z.object({ siteId: idSchema, reference: z.string().trim().min(1).max(500) })],
  "Give the order's id, or siteId and reference: the order's id or number at the site",
);

export const sandboxMessagesInput = z.object({ ...listMembers, to: z.string().max(30).optional() }).prefault({});

export const markReadInput = z.object({ id: z.string().min(1).max(300) });

const longestSpanDays = 400;
const dayMs = 86_400_000;

/** From `from` (included) to `to` (excluded). */
export const overviewInput = z
  .object({ siteId: idSchema.optional(), from: instantSchema, to: endSchema })
  .refine(({ from, to }) => from < to, { path: ["to"], error: "Must be later than from" })
  .refine(({ from, to }) => to.getTime() - from.getTime() <= longestSpanDays * dayMs, {
    path: ["to"],
    error: `Must be at most ${longestSpanDays} days after from`,
  });
