export const sourceTypes = ["woocommerce", "shopify", "generic"] as const;
/** Where phones are made E.164: nowhere, in what the shop posts by itself, or on the site's own path too. */
export type PhoneMode = "off" | "shop" | "all";

export type SourceType = (typeof sourceTypes)[number];
