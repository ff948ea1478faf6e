import { z } from "zod";
import { deliveryStatuses, webhookTypes } from "../webhook.ts";
import { rule } from "../wording.ts";
import { countMembers, idSchema, instantSchema, listMembers, searchSchema, timeRangeMembers, versionMember, webAddress } from "./values.ts";

const endpointUrl = webAddress(rule("Must be an address like https://shop.example/hooks"));

const types = z
  .array(z.enum(webhookTypes))
  .min(1, rule("Must name at least one type"))
  .max(webhookTypes.length)
  .transform((given) => webhookTypes.filter((type) => given.includes(type)));

export const createWebhookInput = z.strictObject({ siteId: idSchema, url: endpointUrl, types, enabled: z.boolean().optional() });

export const updateWebhookInput = z.strictObject({
  id: idSchema,
  ...createWebhookInput.omit({ siteId: true }).partial().shape,
  ...versionMember,
});

export const listWebhooksInput = z.strictObject({ siteId: idSchema.optional(), ...listMembers }).prefault({});

/** `lastEventId`: that of the last item that came; the stream goes on behind it. */
export const tailWebhooksInput = z.strictObject({
  siteId: idSchema,
  lastEventId: z
    .string()
    .regex(/^\d{1,15}$/)
    .nullish(),
});

/** `overlapSeconds`: how long the former secret stays valid beside the new one, a day at most. */
export const rotateOutboundInput = z.strictObject({ siteId: idSchema, overlapSeconds: z.int().min(0).max(86_400).default(0) });

/** `type` is the endpoint's first one unless given. */
export const testWebhookInput = z.strictObject({ id: idSchema, type: z.enum(webhookTypes).optional() });

const deliveryFilterInput = z.strictObject({
  siteId: idSchema.optional(),
  webhookId: idSchema.optional(),
  /** The message that the deliveries are about. */
  notificationId: idSchema.optional(),
  /** The event whose messages the deliveries are about. */
  eventId: idSchema.optional(),
  /** The operation that retried them. */
  operationId: idSchema.optional(),
  status: z.enum(deliveryStatuses).optional(),
  type: z.enum(webhookTypes).optional(),
  /** What finds the events of the deliveries' messages: an order's number, a name, a phone. */
  search: searchSchema.optional(),
  ...timeRangeMembers,
});

export const listDeliveriesInput = deliveryFilterInput.extend(listMembers).prefault({});

/** `kept`: those whose text is kept, which can be sent again; false: the others. */
export const countDeliveriesInput = deliveryFilterInput.extend({ kept: z.boolean().optional(), ...countMembers }).prefault({});

export type DeliveryFilterInput = Pick<
  z.output<typeof countDeliveriesInput>,
  "siteId" | "webhookId" | "notificationId" | "eventId" | "operationId" | "status" | "type" | "kept"
>;

/** The most endpoints of an account. */
export const mostWebhooks = 100;

/**
 * The deliveries to send again: of endpoints, or of all endpoints of a site that are on; within a time, or all that are kept. `failed`: those that failed for
 * good; `pending`: those that wait.
 */
export const replayFailedInput = deliveryFilterInput
  .omit({ status: true, from: true, to: true })
  .extend({
    webhookIds: z.array(idSchema).min(1).max(mostWebhooks).optional(),
    since: instantSchema.optional(),
    until: instantSchema.optional(),
    failed: z.boolean().default(true),
    pending: z.boolean().default(false),
  })
  .transform(({ since = new Date(0), ...rest }, context) => {
    if ([rest.webhookId, rest.webhookIds, rest.siteId].filter((given) => given !== undefined).length === 1) return { ...rest, since };
    context.addIssue(rule("Give either webhookId, webhookIds or siteId"));
    return z.NEVER;
  });
