import { z } from "zod";
import { countries } from "../country.ts";
import { siteModes, sourceTypes } from "../site.ts";
import { isTopic } from "../sources/source.ts";
import { rule } from "../wording.ts";
import {
  eventNameSchema,
  idSchema,
  listMembers,
  nameSchema,
  phoneSchema,
  searchSchema,
  secretSchema,
  tooLong,
  versionMember,
} from "./values.ts";

export const addRecipientInput = z.strictObject({
  siteId: idSchema,
  phone: phoneSchema,
  /** The owner of the phone; null or empty for none. */
  label: z.union([nameSchema, z.literal("")]).nullish(),
  active: z.boolean().optional(),
});

export const updateRecipientInput = addRecipientInput.partial().extend({ id: idSchema, ...versionMember });

/** The most topics: as many as a site notes. */
const mostTopics = 100;

/** The operator's own events for the shop's topics; null: the topic means none. */
const topicsSchema = z
  .record(
    z
      .string()
      .max(200)
      .trim()
      .toLowerCase()
      .refine((topic) => isTopic(topic) && topic !== "__proto__", rule("Must be a topic such as orders/create or order.updated:on-hold")),
    eventNameSchema.nullable(),
  )
  .refine((topics) => Object.keys(topics).length <= mostTopics, rule("Has at most {most} topics", { most: mostTopics }));

export const createSiteInput = z.strictObject({
  name: nameSchema,
  url: z.url({ protocol: /^https?$/, error: rule("Must be a URL that begins with https:// or http://") }).max(2000, tooLong(2000)),
  sourceType: z.enum(sourceTypes),
  /** Never changes; `live` unless given. */
  mode: z.enum(siteModes).optional(),
  testPhone: phoneSchema.nullish(),
  /** True to take only events whose timestamp is signed, as Standard Webhooks sign it. */
  requireSignedTimestamp: z.boolean().optional(),
  /** True while the site's messages wait. */
  holdMessages: z.boolean().optional(),
  /** Whether messages that WhatsApp refuses for a while are tried again once their event is answered; true unless given. */
  retryAfterAnswer: z.boolean().optional(),
  /** How long idempotency keys count; null for five minutes. */
  idempotencyHours: z
    .int(rule("Must be a whole number of hours"))
    .min(1, rule("Must be at least 1 hour"))
    .max(168, rule("Must be at most 168 hours"))
    .nullish(),
  /** The secret that the shop system signs with; null ends all of them. Write-only. */
  sourceSecret: secretSchema.nullish(),
  /** The country of phones without a country code, if the customer's is not known. */
  country: z
    .string()
    .max(100)
    .trim()
    .toUpperCase()
    .pipe(z.enum(countries as [string], rule("Must be a two-letter country code, such as DE or US")))
    .nullish(),
  topics: topicsSchema.nullish(),
  /** Whether phones as people write them are made E.164. */
  normalizePhones: z.boolean().optional(),
});

/** `search`: part of the name or of the URL. `ids`: these, deleted ones too as long as their log is kept. */
export const listSitesInput = z
  .strictObject({
    search: searchSchema.optional(),
    halted: z.boolean().optional(),
    ids: z.array(idSchema).max(200).optional(),
    ...listMembers,
  })
  .prefault({});

/** For how many seconds the replaced secret counts beside the new one: up to a day, 0 unless given. */
const overlapSchema = z.int().min(0).max(86_400);

export const updateSiteInput = createSiteInput
  .omit({ mode: true })
  .partial()
  .extend({
    id: idSchema,
    ...versionMember,
    /** The key of the shop's REST API, which fetches orders that the shop did not post; null ends that. Write-only. */
    reconcile: z
      .strictObject({
        consumerKey: secretSchema.refine((text) => !text.includes(":"), rule("Must not contain a colon")),
        consumerSecret: secretSchema,
      })
      .nullish(),
    /** The overlap of `sourceSecret`. */
    overlapSeconds: overlapSchema.optional(),
    enabled: z.boolean().optional(),
    requireTimestamp: z.boolean().optional(),
    /** Accepted requests a second; null for no limit. */
    rateLimitPerSecond: z
      .int()
      .min(1, rule("Must be at least 1"))
      .max(1_000_000, rule("Must be at most {most}", { most: 1_000_000 }))
      .nullish(),
  });

export const rotateInput = z.strictObject({ id: idSchema, overlapSeconds: overlapSchema.default(0) });

export const sendExampleInput = z.strictObject({ id: idSchema, event: eventNameSchema, phone: phoneSchema.optional() });
