import { expect, test } from "vitest";
import { findShopFaults, type ShopFacts } from "./shop-fault.ts";

const now = new Date("2026-11-26T12:00:00Z");
const ago = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
const topic = (name: string, days: number) => ({ topic: name, last_seen_at: ago(days) });
const facts = (changes: Partial<ShopFacts>): ShopFacts => ({
  sourceType: "woocommerce",
  topicMap: {},
  connectedAt: ago(30),
  topics: [topic("order.created", 1)],
  awaited: [],
  now,
  ...changes,
});
const waits = (event: string, days = 10) => ({ event, since: ago(days) });

test("a legacy webhook is named until the shop posts the same topic in a form that can be read, for a week", () => {
  const legacy = topic("order.created:LEGACY", 1);
  const found = (...topics: ShopFacts["topics"][number][]) => findShopFaults(facts({ topics })).map(({ code }) => code);
  expect(found(legacy)).toEqual(["legacy_api"]);
  expect(found(legacy, topic("order.created", 2))).toEqual(["legacy_api"]);
  expect(found(legacy, topic("order.created", 0.5))).toEqual([]);
  expect(found(topic("order.updated:LEGACY", 2), topic("order.updated:processing", 1))).toEqual([]);
  expect(found(topic("order.created:LEGACY", 8))).toEqual([]);
});

test.each<[string, Partial<ShopFacts>, string[]]>([
  ["a binding of a status, and no update ever", { awaited: [waits("order.shipped"), waits("order.created")] }, ["order.updated"]],
  ["some update came", { awaited: [waits("order.shipped")], topics: [topic("order.updated:on-hold", 1)] }, []],
  ["the binding is new", { awaited: [waits("order.shipped", 2)] }, []],
  ["so is the shop", { awaited: [waits("order.shipped")], connectedAt: ago(2) }, []],
  ["the shop was never connected", { awaited: [waits("order.shipped")], connectedAt: null }, []],
  ["the shop posts nothing at all any more", { awaited: [waits("order.shipped")], topics: [topic("order.created", 9)] }, []],
  ["what may never happen", { awaited: [waits("user.signup")] }, []],
  ["an event that no topic means", { awaited: [waits("order.delivered")] }, []],
  ["the operator's own map", { awaited: [waits("order.held")], topicMap: { "order.updated:on-hold": "order.held" } }, ["order.updated"]],
  [
    "Shopify's topics each",
    {
      sourceType: "shopify",
      topics: [topic("orders/create", 1)],
      awaited: [waits("order.shipped"), waits("order.refunded"), waits("cart.updated")],
    },
    ["fulfillments/create", "checkouts/create"],
  ],
  ["a program of one's own", { sourceType: "generic", awaited: [waits("order.shipped")] }, []],
])("a topic that never comes: %s", (_, changes, missing) => {
  expect(findShopFaults(facts(changes)).map((fault) => ("topic" in fault ? fault.topic : fault.code))).toEqual(missing);
});
