import { z } from "zod";
import { nameSchema } from "./name.ts";
import { timeZoneSchema } from "./time-zone.ts";

export const defaultApiVersion = "v25.0";

/** They stand in the path of the platform's addresses. */
const platformId = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "Must be an id as the platform shows it: letters and digits");
const secret = z
  .string()
  .trim()
  .max(2000)
  .regex(/^[\x21-\x7e]+$/, "Must be one word of printable ASCII characters");

/** An omitted secret keeps the stored one; null removes it. */
export const platformSchema = z.object({
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
export const retentionSchema = z.object({ payloadDays: days.optional(), logDays: days.optional() });

export const renameAccountInput = z.object({ name: nameSchema });

/** `platform: null` disconnects. */
export const updateSettingsInput = z
  .object({ timezone: timeZoneSchema.optional(), platform: platformSchema.nullish(), retention: retentionSchema.optional() })
  .prefault({});
