/** What posts to a site, by its name as people know it. */
export const sourceTitles = { woocommerce: "WooCommerce", shopify: "Shopify", generic: "Generic" };

export type SourceType = keyof typeof sourceTitles;
export const sourceTypes = Object.keys(sourceTitles) as SourceType[];

/** Whether a site's messages go to the account's platform, or to the sandbox alone. */
export const siteModes = ["live", "test"] as const;
export type SiteMode = (typeof siteModes)[number];

/** Which phones are made E.164: none, those that the shop posts by itself, or those on the site's own path too. */
export type PhoneMode = "off" | "shop" | "all";

/** The most active phones in one site's list. */
export const activePhonesLimit = 200;
