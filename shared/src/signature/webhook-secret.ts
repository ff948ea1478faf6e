import { randomText } from "./random-text.ts";

const prefix = "whs_";

/** A new webhook secret, with which a customer signs what he sends: 238 random bits. Its UTF-8 bytes as they stand, prefix included, are the HMAC key. */
export const makeWebhookSecret = (): string => prefix + randomText(40);

/** What the dashboard shows of it: the prefix and the last four characters. */
export const webhookSecretHint = (secret: string): string => `${prefix}…${secret.slice(-4)}`;
