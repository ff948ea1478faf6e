import { type SourceType, sourceTypes } from "shared/core/input/sites";

/** What a site runs on. */
export const sourceTypeWords: Record<SourceType, string> = {
  woocommerce: "WooCommerce",
  shopify: "Shopify",
  generic: "Generic",
};

export const sourceTypeChoices = sourceTypes.map((value) => ({
  value,
  label: value === "generic" ? "Generic: any other backend" : sourceTypeWords[value],
}));
