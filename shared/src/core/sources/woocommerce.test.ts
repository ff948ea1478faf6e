import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { shopBody } from "../../../../test/support/shops/bodies.ts";
import { type JsonObject, lookUp, parseJson } from "../json.ts";
import { headerReader } from "./sources.ts";
import { woocommerce } from "./woocommerce.ts";

const read = (name: string): JsonObject => parseJson(shopBody(`woocommerce-${name}`)) as JsonObject;
const known = (topic: string) => ({ topic, siteUrl: "https://own.example", storedOrder: null });
const mapped = (body: JsonObject, topic: string): JsonObject => {
  const { data: _raw, ...rest } = woocommerce.payloadOf(body, known(topic));
  return rest;
};
const site = { url: "https://own.example" };

describe("bodies of each topic", () => {
  test("an order of a guest that is still to be paid, by the link", () => {
    expect(mapped(read("order-created"), "order.created")).toEqual(data("core-sources-woocommerce", "an order of a guest"));
  });

  test("a completed order with a parcel: the phone and country of the shipping address, goods by weight, a currency without decimals", () => {
    expect(mapped(read("order-updated-completed"), "order.updated")).toEqual({
      site,
      ...data<object>("core-sources-woocommerce", "a completed order"),
    });
  });

  test("a refunded order with three decimals, its refunds beside it", () => {
    expect(mapped(read("order-updated-refunded"), "order.updated")).toMatchObject({
      customer: { full_name: "نورة الصباح", phone: "9912 3456", country: "KW" },
      order: { status: "refunded", total: "12.500", currency: "KWD" },
    });
    const { data } = woocommerce.payloadOf(read("order-updated-refunded"), known("order.updated"));
    expect(lookUp(data ?? null, "raw.refunds.0")).toEqual({ id: "732", reason: "معيب", total: "-12.500" });
    expect(lookUp(data ?? null, "raw.customer_id")).toBe("0");
  });

  test("a new customer is no order", () => {
    expect(mapped(read("customer-created"), "customer.created")).toEqual(data("core-sources-woocommerce", "a new customer"));
  });
});

test("the topic is not signed, so an order is no customer, nor the other way round", () => {
  const [order, customer] = [read("order-created"), read("customer-created")];
  expect(["order.created", "customer.created", "coupon.created", "other.thing"].map((topic) => woocommerce.fits(topic, order))).toEqual(
    data("core-sources-woocommerce", "the topic is not signed, so an order is no custo"),
  );
  expect(["order.updated", "customer.created"].map((topic) => woocommerce.fits(topic, customer))).toEqual([false, true]);
  for (const topic of ["order.created", "order.updated", "customer.created"])
    expect([{}, { id: 7 }, { order: {}, customer: {} }].map((body) => woocommerce.fits(topic, body))).toEqual([false, true, true]);
  expect([woocommerce.fits("order.deleted", { id: 7 }), woocommerce.fits("order.restored", {})]).toEqual([true, true]);
});

describe("what the customer reads", () => {
  const order = (changes: object): JsonObject => ({ ...read("order-created"), ...changes }) as JsonObject;
  const orderOf = (changes: object) => mapped(order(changes), "order.created")["order"];

  test("a parcel's number, also from a list that PHP wrote as an object", () => {
    const [first, last] = ["1", "2"].map((tracking_number) => ({ tracking_number, tracking_provider: "dhl" }));
    const field = (value: unknown) => ({ meta_data: [{ key: "_wc_shipment_tracking_items", value }] });
    for (const value of [[first, last], { 0: first, 2: last }, [last], last])
      expect(orderOf(field(value))).toMatchObject({ tracking_number: "2", tracking_carrier: "dhl" });
    expect(orderOf({ meta_data: { 3: field(last).meta_data[0] } })).toMatchObject({ tracking_number: "2" });
    for (const value of [[], {}, null, "x", 7]) expect(orderOf(field(value))).not.toHaveProperty("tracking_number");
  });

  const shipped = data<[string, object, false | null][]>("core-sources-woocommerce", "whether there is something to ship");
  test.each(shipped)("whether there is something to ship: %s", (_, changes, requires) => {
    expect(lookUp(orderOf(changes) ?? null, "requires_shipping")).toBe(requires ?? undefined);
  });

  test("lines of a list that PHP wrote as an object, and a total that is a number", () => {
    const line = { name: "Mug", quantity: 2, total: "9.00" };
    expect(orderOf({ total: 49.9, line_items: { 0: line, 2: line } })).toMatchObject({
      total: "49.90",
      items: [1, 2].map(() => ({ name: "Mug", qty: 2, price: "4.50" })),
      items_count: 4,
    });
  });

  test("a refund that is told of, and none where another thing is", () => {
    const body = order({
      refunds: [
        { id: 2, total: "-1" },
        { id: 1, total: "x" },
      ],
    });
    const refundOf = (refund: string | null) => lookUp(woocommerce.payloadOf(body, { ...known("order.updated"), refund }), "data.refund");
    expect(["2", "1", "3", null].map(refundOf)).toEqual([
      { id: "2", amount: "1.00", currency: "EUR" },
      { id: "1", currency: "EUR" },
      undefined,
      undefined,
    ]);
  });
});

describe("the list of orders", () => {
  const orders = woocommerce.orders;
  const read = (order: JsonObject) => orders?.read(order);

  test("is asked for by the time of change, in GMT", () => {
    expect(orders?.pagePath(new Date("2026-03-14T10:15:02.345Z"), 3)).toBe(
      "wp-json/wc/v3/orders?modified_after=2026-03-14T10:15:02&per_page=100&page=3&dates_are_gmt=true&orderby=modified",
    );
  });

  test("tells of an order with its status and when it was made", () => {
    const order = { id: 9007199254740995n, status: "processing", date_created_gmt: "2026-03-14T09:15:00" };
    const createdAt = new Date("2026-03-14T09:15:00Z");
    expect(read(order)).toEqual({ id: "9007199254740995", createdAt });
    expect(read({ id: 1 })).toEqual({ id: "1", createdAt: null });
    expect(read({ ...order, date_created_gmt: "soon" })).toMatchObject({ createdAt: null });
  });

  test.each([{}, { id: null }, { id: {} }, ...["auto-draft", "checkout-draft", "draft", "trash"].map((status) => ({ id: 1, status }))])(
    "%j is no order",
    (order) => {
      expect(read(order)).toBeNull();
    },
  );

  test("names its orders as the shop's own requests do", () => {
    const delivery = (kind: "created" | "changed") =>
      woocommerce.deliveryOf(headerReader(orders?.headersOf(kind) ?? {}), { id: 7, status: "processing", date_modified_gmt: "t" });
    const content = ["7", "processing", "t"];
    expect(delivery("created")).toMatchObject({
      topic: "order.created",
      duplicateOf: [
        ["order.created", ...content],
        ["order.created", "7"],
      ],
    });
    expect(delivery("changed")).toMatchObject({ topic: "order.updated", duplicateOf: [["order.updated", ...content]] });
  });
});
