import { z } from "zod";
import { notificationStatuses } from "../message.ts";
import { readUnreachedKey } from "../unreached.ts";
import { eventNameSchema, idSchema, listMembers, phoneSchema, searchSchema, timeRangeMembers, endSchema, instantSchema } from "./values.ts";

export const eventNamesInput = z.strictObject({ siteId: idSchema, ...listMembers });

export const eventFieldsInput = z.strictObject({ siteId: idSchema, event: eventNameSchema });

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

export const notificationFilterInput = z.strictObject({
  ...filterMembers,
  status: z.enum(notificationStatuses).optional(),
  /** The platform's id of the message. */
  waMessageId: searchSchema.optional(),
  errorCode: searchSchema.optional(),
  /** A phone, the platform's id of a message, or the id of a message, an event or an order. */
  search: searchSchema.optional(),
});

/** Which scheduled messages to cancel. */
export const cancelManyInput = notificationFilterInput.refine((filter) => Object.values(filter).some((member) => member !== undefined), {
  error: "Needs at least one member of the filter; siteId, say, for all of a site",
});

/** Which messages that wait to look at. */
export const scheduledFilterInput = z.strictObject({
  siteId: filterMembers.siteId,
  event: filterMembers.event,
  phone: filterMembers.phone,
  template: filterMembers.template,
});

export const listScheduledInput = scheduledFilterInput.extend(listMembers).prefault({});

export const listNotificationsInput = notificationFilterInput.extend(listMembers).prefault({});

/** `force`: also what would fail in the same way as far as can be told. */
export const resendNotificationInput = z.strictObject({ id: idSchema, force: z.boolean().default(false) });

/** Which failed messages to send again. Those that only help when something has changed at the recipient's side must be named by their error code. */
const resendFilter = z.strictObject({ ...filterMembers, errorCode: searchSchema.optional() });

/** Without an end a filter reaches back over all that is kept, which nobody means to send again. */
function requirePeriod({ eventId, ...period }: z.output<typeof resendFilter>, context: z.RefinementCtx): void {
  for (const end of ["from", "to"] as const) {
    if (eventId === undefined && period[end] === undefined)
      context.addIssue({ code: "custom", path: [end], message: "Is needed, unless eventId names one event" });
  }
}

export const resendFilterInput = resendFilter.superRefine(requirePeriod).prefault({});

export const resendManyInput = resendFilter
  .extend({ force: z.boolean().default(false) })
  .superRefine(requirePeriod)
  .prefault({});

export const listEventsInput = z
  .strictObject({
    siteId: idSchema.optional(),
    event: eventFilterSchema.optional(),
    /** The order's id with us, as the ingest answer gives it. */
    orderId: idSchema.optional(),
    test: z.boolean().optional(),
    dryRun: z.boolean().optional(),
    /** Live events with a message that had no recipient: for `any` reason, or for one. */
    unreached: z
      .string()
      .max(600)
      .refine((key) => key === "any" || readUnreachedKey(key) !== null, 'Must be "any", or a key that stats.unreached answers')
      .optional(),
    ...timeRangeMembers,
    ...listMembers,
  })
  .prefault({});

/** The last seven days, unless `from` says otherwise. */
export const unreachedInput = z.strictObject({ siteId: idSchema.optional(), ...timeRangeMembers }).prefault({});

export const backlogInput = z.strictObject({ siteId: idSchema.optional() }).prefault({});

export const tailEventsInput = z.strictObject({ siteId: idSchema.optional() }).prefault({});

/** An order by its id with us, or by what its site calls it. */
export const orderTimelineInput = z
  .strictObject({ id: idSchema.optional(), siteId: idSchema.optional(), reference: z.string().trim().min(1).max(500).optional() })
  .transform(({ id, siteId, reference }, context) => {
    if (id !== undefined && siteId === undefined && reference === undefined) return { id };
    if (id === undefined && siteId !== undefined && reference !== undefined) return { siteId, reference };
    context.addIssue("Give the order's id, or siteId and reference: the order's id or number at the site");
    return z.NEVER;
  });

export const sandboxMessagesInput = z.strictObject({ ...listMembers, to: z.string().max(30).optional() }).prefault({});

/** What somebody writes on the sandbox's phone. */
export const sandboxAnswerInput = z.strictObject({
  from: phoneSchema,
  text: z.string().trim().min(1, "Must not be empty").max(4096, "Has at most 4096 characters"),
});

export const markReadInput = z.strictObject({ id: z.string().min(1).max(300) });

const longestSpanDays = 400;
const dayMs = 86_400_000;

/** From `from` (included) to `to` (excluded). */
export const overviewInput = z
  .strictObject({ siteId: idSchema.optional(), from: instantSchema, to: endSchema })
  .refine(({ from, to }) => from < to, { path: ["to"], error: "Must be later than from" })
  .refine(({ from, to }) => to.getTime() - from.getTime() <= longestSpanDays * dayMs, {
    path: ["to"],
    error: `Must be at most ${longestSpanDays} days after from`,
  });
