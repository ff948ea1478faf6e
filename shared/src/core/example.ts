import payload from "./example-order.json" with { type: "json" };

/** The e-mail address of the owner of `npm start`'s demo shop. */
export const demoEmail = "demo@example.com";

/* A newcomer's first try, an order that is confirmed by message: the event, the template, and the map between them. */

/** The payload of an example order. Its phone is one that nobody has. */
export const examplePayload = payload;

export const exampleEvent = examplePayload.event;

export const exampleTemplate = {
  name: "order_confirmation",
  language: "en_US",
  category: "UTILITY" as const,
  header: { format: "TEXT" as const, text: "Order {{1}}" },
  body: "Hello {{1}}, thank you for your order of {{2}}: {{3}}. We tell you as soon as it is on its way.",
  footer: "This is an example",
  buttons: [{ type: "URL" as const, text: "View your order", url: "https://shop.example/orders/{{1}}" }],
  examples: { header: ["10042"], body: ["Ada", "USD 49.90", "Mug x 2, Teapot x 1"], buttonUrl: ["10042"] },
};

export const exampleVariableMap = {
  header: { "1": { source: "field" as const, path: "order.number" } },
  body: {
    "1": { source: "field" as const, path: "customer.first_name", fallback: "there" },
    "2": { source: "expression" as const, expr: "total.with_currency" as const },
    "3": { source: "expression" as const, expr: "items.summary_short" as const },
  },
  button_url: { "1": { source: "field" as const, path: "order.order_url_customer" } },
};
