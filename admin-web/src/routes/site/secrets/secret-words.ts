import type { SiteSecret } from "../site.ts";

export const secretKinds: SiteSecret["kind"][] = ["api_key", "webhook_secret"];

export const secretNames: Record<SiteSecret["kind"], string> = { api_key: "API key", webhook_secret: "Webhook secret" };

const hour = 3600;

/** For how long the one that is replaced may still count, in seconds. */
export const overlaps = [
  { value: "0", label: "It ends at once" },
  { value: String(hour), label: "It counts for an hour more" },
  { value: String(8 * hour), label: "It counts for 8 hours more" },
  { value: String(24 * hour), label: "It counts for 24 hours more" },
];
