import { z } from "zod";
import { countries } from "../country.ts";
import { sourceTypes } from "../site.ts";
import { isTopic } from "../sources/source.ts";
import { eventNameSchema, idSchema, listMembers, nameSchema, phoneSchema, timeZoneSchema, searchSchema } from "./values.ts";

/** Most active phones in one site's list. */
export const activePhonesLimit = 200;

export const listRecipientsInput = z.strictObject({ siteId: idSchema, ...listMembers });

export const addRecipientInput = z.strictObject({
  siteId: idSchema,
  phone: phoneSchema,
  /** Whose phone it is; null or empty for none. */
  label: z.union([nameSchema, z.literal("")]).nullish(),
  active: z.boolean().optional(),
});

export const updateRecipientInput = addRecipientInput.partial().extend({ id: idSchema });

export const defaultApiVersion = "v25.0";

/** They stand in the path of the platform's addresses. */
const platformId = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "Must be an ID as WhatsApp shows it: letters and digits");
const secret = z
  .string()
  .trim()
  .max(2000)
  .regex(/^[\x21-\x7e]+$/, "Must be one word of printable ASCII characters");

/** An omitted secret keeps the stored one; null removes it. */
export const platformSchema = z.strictObject({
  wabaId: platformId,
  phoneNumberId: platformId,
  accessToken: secret.optional(),
  appSecret: secret.nullish(),
  appId: platformId.nullish(),
  apiVersion: z
    .string()
    .trim()
    .regex(/^v\d{1,3}\.\d{1,2}$/, "Must be a version such as v25.0")
    .optional(),
});
export type PlatformInput = z.output<typeof platformSchema>;

const days = z.int("Must be a whole number of days").min(1, "Must be at least 1 day").max(3650, "Must be at most 3650 days");

/** For how long things are kept. A payload never outlives its event. */
const retentionSchema = z.strictObject({ payloadDays: days.optional(), logDays: days.optional() });

/** So many that an audit entry still tells them all. */
const mostNetworks = 80;

/** The server checks whether each is an address or a network. */
const networksSchema = z.array(z.string().trim().max(60)).max(mostNetworks, `Has at most ${mostNetworks} addresses and networks`);

/** Some more words than the defaults have. */
const mostWords = 100;
const wordsSchema = z
  .array(
    z
      .string()
      .trim()
      .min(1, "Must not be empty")
      .max(100, "Has at most 100 characters")
      .regex(/^\P{Cc}*$/u, "Must be one line"),
  )
  .max(mostWords, `Has at most ${mostWords} words`)
  .nullish();

/** Null for the default words; an empty list for none. */
const optOutSchema = z.strictObject({
  stopWords: wordsSchema,
  startWords: wordsSchema,
  /** What a stop word stops. */
  scope: z.enum(["all", "marketing"]).optional(),
});

export const renameAccountInput = z.strictObject({ name: nameSchema });

/** `platform: null` disconnects. */
export const updateSettingsInput = z
  .strictObject({
    timezone: timeZoneSchema.optional(),
    platform: platformSchema.nullish(),
    retention: retentionSchema.optional(),
    /** Who has no second factor may only set one up. */
    requireSecondFactor: z.boolean().optional(),
    /** Only sessions that the OpenID issuer opened count. */
    requireSso: z.boolean().optional(),
    /** From where the dashboard and access tokens may be used; empty: from everywhere. */
    allowedAddresses: z.strictObject({ dashboard: networksSchema.optional(), tokens: networksSchema.optional() }).optional(),
    /** Customers' data is encrypted at rest. */
    encryptPayloads: z.boolean().optional(),
    /** The pace of the platform's number; null: none. */
    messagesPerSecond: z.int("Must be a whole number").min(1, "Must be at least 1").max(1000, "Must be at most 1000").nullish(),
    /** How long messages are tried again that the platform refused for a while; 0: never. */
    retryHours: z.int("Must be a whole number of hours").min(0, "Must be at least 0").max(720, "Must be at most 720 hours").optional(),
    /** By which words people stop and resume messages. */
    optOut: optOutSchema.optional(),
  })
  .prefault({});

/** As many as a site notes. */
const mostTopics = 100;

/** The operator's own events of the shop's topics; null: the topic means none. */
const topicsSchema = z
  .record(
    z
      .string()
      .trim()
      .toLowerCase()
      .refine((topic) => isTopic(topic) && topic !== "__proto__", "Must be a topic such as orders/create or order.updated:on-hold"),
    eventNameSchema.nullable(),
  )
  .refine((topics) => Object.keys(topics).length <= mostTopics, `Has at most ${mostTopics} topics`);

export const createSiteInput = z.strictObject({
  name: nameSchema,
  url: z.url({ protocol: /^https?$/, error: "Must be a URL that begins with https:// or http://" }).max(2000),
  sourceType: z.enum(sourceTypes),
  testPhone: phoneSchema.nullish(),
  /** Only events whose timestamp is signed, as Standard Webhooks sign it, are taken. */
  requireSignedTimestamp: z.boolean().optional(),
  /** Its messages wait until this is off again. */
  holdMessages: z.boolean().optional(),
  /** How long idempotency keys count; null for five minutes. */
  idempotencyHours: z
    .int("Must be a whole number of hours")
    .min(1, "Must be at least 1 hour")
    .max(168, "Must be at most 168 hours")
    .nullish(),
  /** What the shop system signs with; null ends all of them. Write-only. */
  sourceSecret: secret.nullish(),
  /** Of phones without a country code, where the customer's country is not known. */
  country: z
    .string()
    .trim()
    .toUpperCase()
    .pipe(z.enum(countries as [string], "Must be a two-letter country code, such as DE or US"))
    .nullish(),
  topics: topicsSchema.nullish(),
  /** Whether phones as people write them are made E.164. */
  normalizePhones: z.boolean().optional(),
});

/** `search`: part of the name or of the URL. */
export const listSitesInput = z
  .strictObject({ search: searchSchema.optional(), halted: z.boolean().optional(), ...listMembers })
  .prefault({});

/** What the site's sender was refused. */
export const listRefusedInput = z.strictObject({ siteId: idSchema, ...listMembers });

/** For how many seconds the one that is replaced counts beside the new one: up to a day, none unless said. */
const overlapSchema = z.int().min(0).max(86_400);

export const updateSiteInput = createSiteInput.partial().extend({
  id: idSchema,
  /** A key of the shop's REST API, by which orders are fetched that the shop did not post; null ends that. Write-only. */
  reconcile: z
    .strictObject({
      consumerKey: secret.refine((text) => !text.includes(":"), "Must not contain a colon"),
      consumerSecret: secret,
    })
    .nullish(),
  /** Of `sourceSecret`. */
  overlapSeconds: overlapSchema.optional(),
  enabled: z.boolean().optional(),
  requireTimestamp: z.boolean().optional(),
  /** Accepted requests a second; null for no limit. */
  rateLimitPerSecond: z.int().min(1).max(1_000_000).nullish(),
});

export const rotateInput = z.strictObject({ id: idSchema, overlapSeconds: overlapSchema.default(0) });

export const sendExampleInput = z.strictObject({ id: idSchema, event: eventNameSchema, phone: phoneSchema.optional() });
