import { exampleEvent, examplePayload, exampleTemplate, exampleVariableMap } from "shared/core/example";

/** What the try-out makes: a shop whose orders are confirmed by message, and an order to confirm. */
export const DEMO_EMAIL = "demo@example.com";

export const demoSite = { name: "Demo shop", url: "https://shop.example", sourceType: "generic" } as const;

export const demoEvent = exampleEvent;

/** Under a name of its own, so that the example of somebody's first day stays free. */
export const demoTemplate = { ...exampleTemplate, name: "demo_order_confirmation", footer: "Demo shop" };

export const demoVariableMap = exampleVariableMap;

export const demoPayload = examplePayload;
