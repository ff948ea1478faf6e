import type { AdminClient } from "../../../support/admin/open-admin.ts";

type TemplateInput = Parameters<AdminClient["templates"]["create"]["mutate"]>[0];

const link = { type: "URL" as const, text: "View your order", url: "https://beanandleaf.example/orders/{{1}}" };

/** What a small roastery tells its customers. All but the draft are submitted. */
export const templates: Record<string, TemplateInput> = {
  confirmation: {
    name: "order_confirmation",
    language: "en_US",
    category: "UTILITY",
    header: { format: "TEXT", text: "Order {{1}}" },
    body: "Hello {{1}}, thank you for your order of *{{2}}*: {{3}}.\n\nWe roast it fresh and tell you as soon as it is on its way.",
    footer: "Bean & Leaf Roastery",
    buttons: [link],
    examples: { header: ["10042"], body: ["Ada", "EUR 34.80", "Sumatra 250 g x 2, Filter papers x 1"], buttonUrl: ["10042"] },
  },
  shipped: {
    name: "order_shipped",
    language: "en_US",
    category: "UTILITY",
    body: "Hello {{1}}, your order {{2}} has left our roastery and should be with you in two days.",
    footer: "Bean & Leaf Roastery",
    buttons: [{ type: "URL", text: "Track the parcel", url: "https://parcels.example/{{1}}" }],
    examples: { body: ["Ada", "10042"], buttonUrl: ["JD014600006"] },
  },
  bestaetigung: {
    name: "order_confirmation",
    language: "de",
    category: "UTILITY",
    body: "Hallo {{1}}, danke für deine Bestellung {{2}}. Wir rösten sie frisch und melden uns, sobald sie unterwegs ist.",
    footer: "Bean & Leaf Rösterei",
    examples: { body: ["Ada", "10042"] },
  },
  offer: {
    name: "spring_roast_offer",
    language: "en_US",
    category: "MARKETING",
    body: "Hello {{1}}, the new spring roast is here: bright, floral, and 15 percent off until Sunday for those who ordered before.",
    buttons: [
      { type: "QUICK_REPLY", text: "Tell me more" },
      { type: "QUICK_REPLY", text: "No, thank you" },
    ],
    examples: { body: ["Ada"] },
  },
  survey: {
    name: "coffee_survey",
    language: "en_US",
    category: "UTILITY",
    body: "Hello {{1}}, how did you like your last coffee? Tell us in two minutes and help us choose the next one.",
    examples: { body: ["Ada"] },
  },
  draft: {
    name: "pickup_ready",
    language: "en_US",
    category: "UTILITY",
    body: "Hello {{1}}, your order {{2}} is ready. Pick it up at the roastery until six o'clock today.",
    examples: { body: ["Ada", "10042"] },
  },
};
