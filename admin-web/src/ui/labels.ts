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

const parts: Record<string, string> = { header: "the header", body: "the body", button_url: "the button's link" };
const part = Object.keys(parts).join("|");

const unfilled = new RegExp(`\\b(${part}) (\\{\\{[^{}]*\\}\\})(?::| is) not in the variable map`, "gu");
const lacking = new RegExp(`\\b(${part})\\.(\\d+): the template has (no|\\d+) \\w+ (slots?)`, "gu");
const changed = new RegExp(`\\b(${part}) had `, "gu");

/**
 * A reason of the server's in the words of the dashboard. The API names slots as a variable map does (`button_url {{1}} is not in the variable map.`), and
 * begins a reason in lower case where it may follow another.
 */
export function reasonWords(reason: string): string {
  const words = reason
    .replace(unfilled, (_, key: string, slot: string) => `${parts[key]} needs a value for ${slot}`)
    .replace(
      lacking,
      (_, key: string, slot: string, count: string, slots: string) =>
        `{{${slot}}} of ${parts[key]} is filled, but it has ${count} ${slots} now`,
    )
    .replace(changed, (_, key: string) => `${parts[key]} had `)
    .replace(/\bbutton_url (?=\{\{)/gu, "the button's link ");
  // A word, not the path of a field.
  return words.replace(/^\p{Ll}(?=[\p{L}']*[ :])/u, (letter) => letter.toUpperCase());
}

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
