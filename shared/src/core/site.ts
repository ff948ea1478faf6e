export const sourceTypes = ["woocommerce", "shopify", "generic"] as const;
/** Which phones are made E.164: none, those that the shop posts by itself, or those on the site's own path too. */
export type PhoneMode = "off" | "shop" | "all";

export type SourceType = (typeof sourceTypes)[number];
