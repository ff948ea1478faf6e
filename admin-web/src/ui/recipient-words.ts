import type { RecipientStrategy } from "shared/core/recipient";

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
