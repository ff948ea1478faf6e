/** The recipients of a binding's messages. */
export type RecipientStrategy =
  | { strategy: "customer" | "site_recipients" | "test" }
  | { strategy: "static_phone"; phone: string }
  | { strategy: "field_path"; path: string };

export const recipientStrategies = ["customer", "site_recipients", "test", "static_phone", "field_path"] as const;
