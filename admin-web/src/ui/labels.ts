import type { RecipientStrategy } from "shared/core/recipient";
import type { Role } from "shared/core/role";
import { type SourceType, sourceTypes } from "shared/core/site";

/** What became of an event, by the word that its sender was answered. */
export const chatWords: Record<string, string> = {
  sent: "The platform took every message.",
  partial: "Some of its messages failed.",
  failed: "All of its messages failed.",
  no_bindings: "Nothing was sent: no binding was switched on for it.",
  skipped_no_config: "Nothing was sent: no platform was connected.",
  skipped_no_phone: "Nothing was sent: nobody to write to was found.",
};

/** Who gets a binding's message, in few words. */
export const recipientNames: Record<RecipientStrategy["strategy"], string> = {
  customer: "The customer",
  site_recipients: "The site's recipients",
  test: "The site's test phone",
  static_phone: "One fixed phone",
  field_path: "A phone in the event",
};

/** The same, with which one it is. */
export function recipientWords(recipient: RecipientStrategy): string {
  const name = recipientNames[recipient.strategy];
  if (recipient.strategy === "static_phone") return `${name}: ${recipient.phone}`;
  return recipient.strategy === "field_path" ? `${name}: ${recipient.path}` : name;
}

/** What each role may do, in few words. */
export const roleWords: Record<Role, string> = {
  viewer: "sees all but secrets",
  operator: "runs sites and templates",
  owner: "everything, people too",
};

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
