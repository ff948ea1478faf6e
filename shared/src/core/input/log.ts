import { z } from "zod";
import { eventOutcomes } from "../event.ts";
import { typeLanguages } from "../fields/types.ts";
import { notificationStatuses } from "../message.ts";
import { longestSample } from "../requested.ts";
import { siteModes } from "../site.ts";
import { readUnreachedKey } from "../unreached.ts";
import { rule } from "../wording.ts";
import {
  countMembers,
  eventNameSchema,
  filledText,
  idSchema,
  idsSchema,
  listMembers,
  payloadSchema,
  phoneSchema,
  searchSchema,
  timeRangeMembers,
  endSchema,
  instantSchema,
} from "./values.ts";

export const eventFieldsInput = z.strictObject({ siteId: idSchema, event: eventNameSchema });

export const siteTypesInput = z.strictObject({ siteId: idSchema, language: z.enum(typeLanguages) });

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
  templateId: idSchema.optional(),
  bindingId: idSchema.optional(),
  /** True for messages of tests, false for others. */
  test: z.boolean().optional(),
  /** Messages of test sites alone, or of all others. */
  siteMode: z.enum(siteModes).optional(),
  /** Messages that failed then or later, whenever they were made. */
  failedFrom: instantSchema.optional(),
  ...timeRangeMembers,
};

/** What many messages are changed by: a member that is empty by mistake must not reach all. */
const filled = <Schema extends z.ZodType<string | undefined>>(schema: Schema) =>
  schema.refine((text) => text !== undefined, rule("Must not be empty")).optional();
const filledMembers = {
  event: filled(eventFilterSchema),
  phone: filled(searchSchema),
  template: filled(searchSchema),
  errorCode: filled(searchSchema),
};

/** The most reasons that one filter names. */
const mostCodes = 100;

export const errorCodesSchema = z
  .array(z.string().regex(/^[ -~]{1,500}$/u, rule("Must be an error code of the log")))
  .min(1)
  .max(mostCodes);

export const notificationFilterInput = z.strictObject({
  ...filterMembers,
  /** The messages of an operation, each as its newest attempt. */
  operationId: idSchema.optional(),
  status: z.enum(notificationStatuses).optional(),
  /** The platform's id of the message. */
  waMessageId: searchSchema.optional(),
  errorCode: searchSchema.optional(),
  /** Any of these codes. */
  errorCodes: errorCodesSchema.optional(),
  /** A phone, the platform's id of a message, the id of a message, an event or an order; or a text by which `events.list` finds their events. */
  search: searchSchema.optional(),
});

/** A filter of the log, but for what it is searched by and its span. */
export type NotificationFilterInput = Omit<z.output<typeof notificationFilterInput>, "search" | "from" | "to">;

/** `field` is a field of events that bindings read. */
const filterFields = ["event", "template", "errorCode", "field"] as const;

/** The values that a field of a filter may have: those that occur. */
export const filterValuesInput = z.strictObject({
  field: z.enum(filterFields),
  siteId: idSchema.optional(),
  /** A part of the value. */
  search: searchSchema.optional(),
  ...timeRangeMembers,
});

const hasMember = [
  (filter: object): boolean => Object.values(filter).some((member) => member !== undefined),
  rule("Needs at least one filter, for example siteId for all messages of a site"),
] as const;

/** Whether scheduled messages are due already, so that they wait only for their site. */
const due = z.boolean().optional();

/** The scheduled messages to cancel. */
export const cancelManyInput = notificationFilterInput
  .extend({ ...filledMembers, waMessageId: filled(searchSchema), search: filled(searchSchema), due, ids: idsSchema.optional() })
  .refine(...hasMember);

/** The waiting messages to list. */
export const scheduledFilterInput = z.strictObject({
  siteId: filterMembers.siteId,
  siteMode: filterMembers.siteMode,
  event: filterMembers.event,
  phone: filterMembers.phone,
  template: filterMembers.template,
  due,
  ...timeRangeMembers,
});

export type ScheduledFilterInput = Omit<z.output<typeof scheduledFilterInput>, "phone" | "from" | "to">;

/** The waiting messages that leave at once. */
const { errorCode: _, ...filledScheduled } = filledMembers;
export const sendNowManyInput = scheduledFilterInput.extend({ ...filledScheduled, ids: idsSchema.optional() }).refine(...hasMember);

const soughtScheduled = scheduledFilterInput.extend({ search: searchSchema.optional() });
export const countScheduledInput = soughtScheduled.extend(countMembers).prefault({});
export const listScheduledInput = soughtScheduled.extend(listMembers).prefault({});

export const listNotificationsInput = notificationFilterInput.extend(listMembers).prefault({});
export const countNotificationsInput = notificationFilterInput.extend(countMembers).prefault({});

/** `force` also resends a message that would probably fail in the same way. */
export const resendNotificationInput = z.strictObject({ id: idSchema, force: z.boolean().default(false) });

/** The failed messages to send again. Messages that only a change at the recipient's side helps must be named by their error codes. */
const resendFilter = z.strictObject({
  ...filterMembers,
  ...filledMembers,
  /** All of them have it: so a filter of the log that shows them is taken as it is. */
  status: z.literal("failed").optional(),
  ids: idsSchema.optional(),
  eventIds: idsSchema.optional(),
  /** Those of an operation that have failed again. */
  operationId: idSchema.optional(),
  /** Any of these codes. */
  errorCodes: errorCodesSchema.optional(),
});

/** Requires a period: without a beginning a filter reaches back over everything that is kept, which nobody wants to send again. */
function requirePeriod({ ids, eventId, eventIds, operationId, ...period }: z.output<typeof resendFilter>, context: z.RefinementCtx): void {
  if ((ids ?? eventId ?? eventIds ?? operationId) !== undefined) return;
  for (const end of ["from", "to"] as const) {
    if (period[end] === undefined && !(end === "from" && period.failedFrom !== undefined))
      context.addIssue({
        code: "custom",
        path: [end],
        message: rule("Is required, unless ids, eventId, eventIds or operationId name what to send"),
      });
  }
}

export const resendFilterInput = resendFilter.superRefine(requirePeriod).prefault({});

export const resendManyInput = resendFilter
  .extend({ force: z.boolean().default(false) })
  .superRefine(requirePeriod)
  .prefault({});

const eventFilterInput = z.strictObject({
  siteId: idSchema.optional(),
  event: eventFilterSchema.optional(),
  /** An order's number, a name, an e-mail address, a part of a phone, a value; or the id of an event, an order or a message. */
  search: searchSchema.optional(),
  /** Events that name this phone, or have a message to it. */
  phone: phoneSchema.optional(),
  outcome: z.enum(eventOutcomes).optional(),
  /** Our id of the order, as the ingest answer gives it. */
  orderId: idSchema.optional(),
  /** The order's whole number, or its id at the shop. */
  orderNumber: searchSchema.optional(),
  test: z.boolean().optional(),
  siteMode: z.enum(siteModes).optional(),
  dryRun: z.boolean().optional(),
  /** Live events with a message that had no recipient: for `any` reason, or for one. */
  unreached: z
    .string()
    .max(600)
    .refine(
      (key) => key === "any" || readUnreachedKey(key) !== null,
      rule('Must be "any", or the subject of a problem of the kind nobody_reached'),
    )
    .optional(),
  ...timeRangeMembers,
});

export const listEventsInput = eventFilterInput.extend(listMembers).prefault({});

export const countEventsInput = eventFilterInput.extend(countMembers).prefault({});

export type EventFilterInput = Pick<
  z.output<typeof listEventsInput>,
  "siteId" | "orderId" | "test" | "siteMode" | "dryRun" | "unreached" | "outcome"
>;

/** `requestId` is made by the client; a repeated call with it requests nothing more. */
export const replayEventInput = z.strictObject({ id: idSchema, requestId: idSchema });

const samples = z.array(z.string().max(longestSample)).max(100).optional();

/** A test of all bindings of a site's event, of one binding, or of a template alone. */
export const sendTestInput = z
  .strictObject({
    requestId: idSchema,
    /** The site, if `event` or `templateId` are tested. */
    siteId: idSchema.optional(),
    event: eventNameSchema.optional(),
    bindingId: idSchema.optional(),
    templateId: idSchema.optional(),
    /** The event's payload; that of the newest event unless given. */
    payload: payloadSchema.optional(),
    /** The values of a template alone; its examples unless given. */
    values: z.strictObject({ header: samples, body: samples, button_url: samples }).optional(),
    /** The phone that gets the test in place of the site's test phone. */
    phone: phoneSchema.optional(),
  })
  .transform(({ event, bindingId, templateId, siteId, ...rest }, context) => {
    if (event !== undefined && siteId !== undefined && bindingId === undefined && templateId === undefined)
      return { ...rest, siteId, event };
    if (templateId !== undefined && siteId !== undefined && bindingId === undefined && event === undefined)
      return { ...rest, siteId, templateId };
    if (bindingId !== undefined && siteId === undefined && templateId === undefined && event === undefined) return { ...rest, bindingId };
    context.addIssue(rule("Give bindingId alone, or siteId with either event or templateId"));
    return z.NEVER;
  });

/** The sites that figures count: one, or the account's test sites, or all others, which are counted unless asked. */
const countedMembers = { siteId: idSchema.optional(), siteMode: filterMembers.siteMode };

export const backlogInput = z.strictObject(countedMembers).prefault({});

export const tailEventsInput = z.strictObject({ siteId: idSchema.optional() }).prefault({});

/** An order by its id here, or by its site's id or number of it. */
export const orderTimelineInput = z
  .strictObject({ id: idSchema.optional(), siteId: idSchema.optional(), reference: z.string().trim().min(1).max(500).optional() })
  .transform(({ id, siteId, reference }, context) => {
    if (id !== undefined && siteId === undefined && reference === undefined) return { id };
    if (id === undefined && siteId !== undefined && reference !== undefined) return { siteId, reference };
    context.addIssue(rule("Give the order's id, or siteId and reference: the order's id or number at the site"));
    return z.NEVER;
  });

export const sandboxMessagesInput = z.strictObject({ ...listMembers, to: z.string().max(30).optional() }).prefault({});

/** A message from a person on the sandbox's phone. */
export const sandboxAnswerInput = z.strictObject({
  from: phoneSchema,
  text: filledText(4096),
});

export const markReadInput = z.strictObject({ id: z.string().min(1).max(300) });

const dayMs = 86_400_000;

/** The fault of a span's end. */
function refusalOfEnd({ from, to }: { from: Date; to: Date }, mostDays: number): string | undefined {
  if (from >= to) return rule("Must be later than from");
  return to.getTime() - from.getTime() > mostDays * dayMs ? rule("Must be at most {most} days after from", { most: mostDays }) : undefined;
}

const longestOverviewDays = 400;

/** From `from` (included) to `to` (excluded), or the last `days` of the account's calendar, today included. */
export const overviewInput = z
  .strictObject({
    ...countedMembers,
    from: instantSchema.optional(),
    to: endSchema.optional(),
    days: z.int().min(1).max(longestOverviewDays).optional(),
  })
  .transform(({ siteId, siteMode, from, to, days }, context) => {
    const refuse = (member: string, message: string): never => {
      context.addIssue({ code: "custom", path: [member], message });
      return z.NEVER;
    };
    if (days !== undefined) {
      if (from !== undefined || to !== undefined) return refuse("days", rule("Stands alone, without from and to"));
      return { siteId, siteMode, days };
    }
    if (from === undefined) return refuse("from", rule("Is required, unless days is given"));
    if (to === undefined) return refuse("to", rule("Is required, unless days is given"));
    const wrong = refusalOfEnd({ from, to }, longestOverviewDays);
    return wrong === undefined ? { siteId, siteMode, from, to } : refuse("to", wrong);
  });

const longestStatsDays = 92;

/** A span of so many days at most. */
const spanInput = (mostDays: number) =>
  z.strictObject({ ...countedMembers, from: instantSchema, to: endSchema }).superRefine((span, context) => {
    const wrong = refusalOfEnd(span, mostDays);
    if (wrong !== undefined) context.addIssue({ code: "custom", path: ["to"], message: wrong });
  });

/** From `from` (included) to `to` (excluded). */
export const messageStatsInput = spanInput(longestStatsDays);

/** The days from that of `from` to that of `to`, in the account's time zone. */
export const pricingInput = spanInput(longestOverviewDays);
