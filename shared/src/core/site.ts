export const sourceTypes = ["woocommerce", "shopify", "generic"] as const;
export type SourceType = (typeof sourceTypes)[number];
