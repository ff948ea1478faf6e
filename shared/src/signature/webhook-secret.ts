import { randomText } from "./random-text.ts";

/** A new webhook secret, with which a customer signs what he sends: 238 random bits. Its UTF-8 bytes as they stand, prefix included, are the HMAC key. */
export const makeWebhookSecret = (): string => `whs_${randomText(40)}`;
