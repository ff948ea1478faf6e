import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { shopBody } from "../../../../test/support/shops/bodies.ts";
import { type JsonObject, lookUp, parseJson } from "../json.ts";
import { shopify } from "./shopify.ts";

const read = (name: string): JsonObject => parseJson(shopBody(`shopify-${name}`)) as JsonObject;
const mapped = (body: JsonObject, topic: string, storedOrder: JsonObject | null = null): JsonObject => {
  const { data: _raw, ...rest } = shopify.payloadOf(body, {
    topic,
    siteUrl: "https://own.example",
    storedOrder,
  });
  return rest;
};
const site = { url: "https://own.example" };

const created: JsonObject = data("core-sources-shopify", "an order with an account");

describe("bodies of each topic", () => {
  test("an order with an account: the phone of the shipping address, as the account has none", () => {
    expect(mapped(read("orders-create"), "orders/create")).toEqual(created);
  });

  test("a guest who picks up: the billing address tells who and where; a gift card is an item; a test order is a test event", () => {
    expect(mapped(read("orders-create-guest"), "orders/create")).toEqual(data("core-sources-shopify", "a guest who picks up"));
  });

  test("a paid order in a currency without decimals", () => {
    expect(mapped(read("orders-paid-yen"), "orders/paid")).toEqual(
      data("core-sources-shopify", "a paid order in a currency without decimals"),
    );
  });

  test("a cancelled order: the order's own phone goes first, and a name without # stays", () => {
    expect(mapped(read("orders-cancelled"), "orders/cancelled")).toMatchObject({
      customer: { full_name: "Ada King", phone: "+44 7911 123456", country: "GB" },
      order: { number: "EN-1004", status: "cancelled", total: "20.00", currency: "GBP" },
    });
  });

  test("fulfilments of one order: each with its items and parcel, the customer of the order", () => {
    const first = mapped(read("fulfillments-create"), "fulfillments/create", created);
    const order = created["order"] as JsonObject;
    const parcel = { tracking_number: "00340434161094022115", tracking_carrier: "DHL" };
    const mugs = [{ name: "Tasse „Möwe“ - blau", qty: 2, price: "19.95" }];
    expect(first).toEqual({ ...created, order: { ...order, items: mugs, items_count: 2, ...parcel } });
    expect(mapped(read("fulfillments-create-second"), "fulfillments/create", first)).toEqual({
      ...created,
      order: { ...order, items: [{ name: "Teekanne", qty: 1, price: "34.90" }], items_count: 1 },
    });
  });

  test("a fulfilment of an order that never came: what it says itself", () => {
    expect(mapped(read("fulfillments-create-second"), "fulfillments/create")).toEqual({
      site,
      customer: data("core-sources-shopify", "a customer"),
      order: { id: "9223372036854775101", number: "1001", items: [{ name: "Teekanne", qty: 1, price: "34.90" }], items_count: 1 },
    });
  });

  test("a refund in part: the pieces that come back; a refund of a test order is a test", () => {
    const order = { ...(created["order"] as JsonObject), items: [{ name: "Tasse „Möwe“ - blau", qty: 1, price: "19.95" }], items_count: 1 };
    expect(mapped(read("refunds-create"), "refunds/create", created)).toEqual({ ...created, order });
    expect(mapped(read("refunds-create"), "refunds/create", { ...created, test: true })).toMatchObject({ test: true });
    expect(mapped({ ...read("refunds-create"), refund_line_items: [] }, "refunds/create", created)).toEqual(created);
  });

  test("a new customer without a phone of its own: the one of the address", () => {
    expect(mapped(read("customers-create"), "customers/create")).toEqual(data("core-sources-shopify", "a new customer"));
  });

  test("a checkout is a cart", () => {
    expect(mapped(read("checkouts-create"), "checkouts/create")).toEqual(data("core-sources-shopify", "a checkout"));
  });

  test("a request for erasure names the person, and the body of another topic nobody", () => {
    const redact = shopify.privacyTopics.get("customers/redact");
    expect(redact?.(read("customers-redact"))).toEqual(data("core-sources-shopify", "a request for erasure names the person, and the"));
    // What is no address would be found in the data of others.
    expect(redact?.({ customer: { email: "a" } })).toBeNull();
    expect([redact?.(read("customers-data-request")), redact?.(read("orders-create"))]).toEqual([null, null]);
    expect(shopify.privacyTopics.get("shop/redact")?.(read("shop-redact"))).toBeNull();
  });
});

describe("the topic is not signed, so a body has to be one of its topic", () => {
  const bodies = data<Record<string, string[]>>("core-sources-shopify", "bodies that fit each topic");
  const fixtures = [...new Set(Object.values(bodies).flat())];

  test.each(Object.entries(bodies))("%s", (topic, own) => {
    expect(fixtures.filter((name) => shopify.fits(topic, read(name)))).toEqual(fixtures.filter((name) => own.includes(name)));
  });

  test.each(data<[string, JsonObject][]>("core-sources-shopify", "is none of its topic"))("%s of %j is none", (topic, body) =>
    expect(shopify.fits(topic, body)).toBe(false),
  );

  test("what tells nothing, and a topic of the operator's own, is taken", () => {
    for (const topic of ["orders/create", "orders/edited", "customers/create"]) expect(shopify.fits(topic, { id: 1 })).toBe(true);
    expect([shopify.fits("refunds/create", { id: 1, order_id: 2 }), shopify.fits("orders/edited", {})]).toEqual([true, true]);
    expect(shopify.fits("disputes/create", read("orders-create"))).toBe(true);
    expect(shopify.fits("orders/paid", { id: 1, financial_status: "voided", test: true })).toBe(true);
  });
});

describe("what the customer reads", () => {
  const money = (shop: string, customer?: string) => ({
    shop_money: { amount: shop, currency_code: "USD" },
    ...(customer !== undefined && { presentment_money: { amount: customer, currency_code: "CAD" } }),
  });

  test("the order as it is now, in the customer's currency, else in the shop's", () => {
    const line = (more: object): JsonObject => ({ name: "Mug", quantity: 2, price: "1.00", ...more }) as JsonObject;
    const lines = [
      line({ current_quantity: 1, price_set: money("1.00", "1.40") }),
      line({ current_quantity: 0 }),
      line({ price_set: money("2.00") }),
    ];
    const body = {
      total_price: "9",
      currency: "USD",
      total_price_set: money("9.00", "12.60"),
      current_total_price_set: money("5.00", "7.00"),
      line_items: lines,
    };
    expect(mapped(body as JsonObject, "orders/create")["order"]).toEqual(
      data("core-sources-shopify", "the order as it is now, in the customer's currency, else in"),
    );
    const yen = { currency: "JPY", line_items: [line({ price: "1200.0" })] } as JsonObject;
    expect(lookUp(mapped(yen, "orders/create"), "order.items.0.price")).toBe("1200");
    expect(mapped({ total_price: "9.00", current_total_price: "5.00", currency: "USD" }, "orders/create")["order"]).toEqual({
      total: "5.00",
      currency: "USD",
    });
  });

  test.each(data<[string[][], object][]>("core-sources-shopify", "are the refund"))("%j are the refund %j", (transactions, refund) => {
    const rows = transactions.map(([kind = "", status = "", amount = "", currency = ""]) => ({ kind, status, amount, currency }));
    const payload = shopify.payloadOf(
      { id: 3, order_id: 1, transactions: rows },
      { topic: "refunds/create", siteUrl: "", storedOrder: null },
    );
    expect(lookUp(payload, "data.refund")).toEqual(refund);
  });

  test("gift cards and services need no parcel, which a later parcel does not inherit", () => {
    const parcel = (...lines: object[]) =>
      mapped({ order_id: 1, line_items: lines } as JsonObject, "fulfillments/create", { order: { requires_shipping: false } });
    expect(parcel({ gift_card: true, requires_shipping: true }, { requires_shipping: false })["order"]).toMatchObject({
      requires_shipping: false,
    });
    expect(parcel({ requires_shipping: true }, { gift_card: true })["order"]).not.toHaveProperty("requires_shipping");
  });
});

test("the shop's own body stays, its ids as text", () => {
  const { data } = shopify.payloadOf(read("orders-create"), { topic: "orders/create", siteUrl: "", storedOrder: null });
  expect(lookUp(data ?? null, "raw.line_items.0.id")).toBe("13400000000000000101");
  expect(lookUp(data ?? null, "raw.customer.id")).toBe("7210987654321098701");
  expect(lookUp(data ?? null, "raw.app_id")).toBe("580111");
  expect(lookUp(data ?? null, "raw.order_number")).toBe(1001);
});

describe("a phone and its country", () => {
  test.each(data<[string, JsonObject, object][]>("core-sources-shopify", "a phone and its country"))("%s", (_name, body, customer) => {
    expect(mapped(body, "orders/create")["customer"] ?? {}).toEqual(customer);
  });
});
