import { z } from "zod";
import { rule } from "../wording.ts";
import { filledText, nameSchema, secretSchema, timeZoneSchema, tooLong, versionMember } from "./values.ts";

export const defaultApiVersion = "v25.0";

/** An id of the platform, which stands in the path of its addresses. */
const platformId = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, rule("Must be an ID as WhatsApp shows it: letters and digits"));

/** The platform's endpoint that marketing templates go to. */
const marketingRouteSchema = z.enum(["messages", "marketing_messages"]);

/** An omitted secret keeps the stored one; null removes it. */
export const platformSchema = z.strictObject({
  wabaId: platformId,
  phoneNumberId: platformId,
  accessToken: secretSchema.optional(),
  appSecret: secretSchema.nullish(),
  appId: platformId.nullish(),
  apiVersion: z
    .string()
    .trim()
    .regex(/^v\d{1,3}\.\d{1,2}$/, rule("Must be a version such as v25.0"))
    .optional(),
  marketingRoute: marketingRouteSchema.optional(),
});
export type PlatformInput = z.output<typeof platformSchema>;

const days = z
  .int(rule("Must be a whole number of days"))
  .min(1, rule("Must be at least 1 day"))
  .max(3650, rule("Must be at most 3650 days"));

/** How long payloads and the log are kept. A payload never outlives its event. */
const retentionSchema = z.strictObject({ payloadDays: days.optional(), logDays: days.optional() });

/** The most networks: an audit entry can still tell them all. */
const mostNetworks = 80;

/** The server checks whether each is an address or a network. */
const networksSchema = z
  .array(z.string().trim().max(60, tooLong(60)))
  .max(mostNetworks, rule("Has at most {most} addresses and networks", { most: mostNetworks }));

/** The most words: some more than the defaults have. */
const mostWords = 100;
const wordsSchema = z
  .array(filledText(100).regex(/^\P{Cc}*$/u, rule("Must be one line")))
  .max(mostWords, rule("Has at most {most} words", { most: mostWords }))
  .nullish();

/** Null for the default words; an empty list for none. */
const optOutSchema = z.strictObject({
  stopWords: wordsSchema,
  startWords: wordsSchema,
  /** The messages that a stop word stops. */
  scope: z.enum(["all", "marketing"]).optional(),
});

/** `platform: null` disconnects. */
export const updateSettingsInput = z
  .strictObject({
    ...versionMember,
    name: nameSchema.optional(),
    timezone: timeZoneSchema.optional(),
    /** The credentials, or the way of marketing templates alone. */
    platform: z.union([platformSchema, z.strictObject({ marketingRoute: marketingRouteSchema })]).nullish(),
    retention: retentionSchema.optional(),
    /** True if people without a second factor may only set one up. */
    requireSecondFactor: z.boolean().optional(),
    /** True if only sessions that the OpenID issuer opened count. */
    requireSso: z.boolean().optional(),
    /** The addresses from which the dashboard and access tokens may be used; empty: any. */
    allowedAddresses: z.strictObject({ dashboard: networksSchema.optional(), tokens: networksSchema.optional() }).optional(),
    /** True if customers' data is encrypted at rest. */
    encryptPayloads: z.boolean().optional(),
    /** The pace of the platform's number; null: none. */
    messagesPerSecond: z
      .int(rule("Must be a whole number"))
      .min(1, rule("Must be at least 1"))
      .max(1000, rule("Must be at most 1000"))
      .nullish(),
    /** How many hours a message is tried again that the platform refused for a while; 0: never. */
    retryHours: z
      .int(rule("Must be a whole number of hours"))
      .min(0, rule("Must be at least 0"))
      .max(720, rule("Must be at most 720 hours"))
      .optional(),
    /** The words by which people stop and resume messages. */
    optOut: optOutSchema.optional(),
  })
  .prefault({});
