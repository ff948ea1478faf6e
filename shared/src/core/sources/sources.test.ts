import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { hostilePayload, jsonBytes } from "../../../../test/support/arbitrary/json.ts";
import { cpuMs } from "../../../../test/support/cpu-time.ts";
import { data } from "../../../../test/support/data.ts";
import { shopBody } from "../../../../test/support/shops/bodies.ts";
import { isTestEvent } from "../event.ts";
import { type JsonObject, lookUp, parseAsWritten, parseJson, printJson } from "../json.ts";
import type { SourceType } from "../site.ts";
import { decide, noHistory } from "./history.ts";
import { compact, type Delivery, idsAsText, type IsPhone, plainDelivery, scalarAt, type Source } from "./source.ts";
import { eventOfTopic, headerReader, isPing, sources } from "./sources.ts";

/** A shop system of another kind: this object is everything that it needs. */
const ecwid: Source = {
  secret: "source_secret",
  normalizesPhones: true,
  signsBodyAlone: true,
  events: new Map([["order.created", "order.created"]]),
  privacyTopics: new Map(),
  headers: { topics: [], signatures: [], shown: [] },
  ping: null,
  orders: null,
  proofOf: (headers) => {
    const signature = headers("x-ecwid-webhook-signature");
    return signature === null ? null : { scheme: "base64", signature };
  },
  deliveryOf: (_headers, body) => {
    const topic = scalarAt(body, "eventType");
    const id = scalarAt(body, "eventId");
    return topic === undefined ? null : { ...plainDelivery(topic), duplicateOf: id === undefined ? [] : [[id]] };
  },
  fits: () => true,
  payloadOf: (body, { siteUrl }) =>
    compact({ order: compact({ id: scalarAt(body, "data.orderId") }), site: { url: siteUrl }, data: { raw: idsAsText(body) } }),
};

const { shopify, woocommerce, generic } = sources;
const first = { topicMap: {}, history: noHistory, mark: (text: string) => text, isFetched: false };
const eventOf = (source: Source, delivery: Delivery): string | null => decide(source, delivery, first).tells?.event ?? null;
const deliver = (source: Source, headers: object, body: JsonObject = {}): Delivery | null =>
  source.deliveryOf(headerReader({ ...headers }), body);
const parse = (text: string): JsonObject => parseJson(text) as JsonObject;

test("a fourth source needs nothing but its description", () => {
  const body = parse('{"eventId":"80aece08","eventType":"order.created","data":{"orderId":103878161}}');
  const delivery = deliver(ecwid, {}, body);
  expect(delivery && eventOf(ecwid, delivery)).toBe("order.created");
  expect(ecwid.proofOf(headerReader({ "X-Ecwid-Webhook-Signature": "abc" }))).toEqual({ scheme: "base64", signature: "abc" });
  const payload = ecwid.payloadOf(body, { topic: "order.created", siteUrl: "https://e.example", storedOrder: null });
  expect(payload).toMatchObject({ order: { id: "103878161" }, site: { url: "https://e.example" } });
});

describe("headers", () => {
  test("names in any case; empty is absent; the first of several", () => {
    const headers = headerReader({ "X-Shopify-TOPIC": " orders/create ", "X-Empty": " ", "x-many": ["a", "b"] });
    expect(["x-shopify-topic", "x-empty", "x-many", "x-none"].map(headers)).toEqual(["orders/create", null, "a", null]);
  });

  test.each([
    ["with X-", { "X-Shopify-Hmac-Sha256": "s", "X-Shopify-Topic": "orders/create", "X-Shopify-Webhook-Id": "7" }],
    ["without X-", { "Shopify-Hmac-SHA256": "s", "shopify-topic": "ORDERS/CREATE", "Shopify-Webhook-Id": "7" }],
  ])("Shopify's %s", (_name, headers) => {
    expect(shopify.proofOf(headerReader({ ...headers }))).toEqual({ scheme: "base64", signature: "s" });
    expect(deliver(shopify, headers)).toMatchObject({ topic: "orders/create", duplicateOf: [["7"]], isNothing: false });
  });

  test.each([shopify, woocommerce, generic])("without them there is neither proof nor topic", (source) => {
    expect([source.proofOf(() => null), source.deliveryOf(() => null, {})]).toEqual([null, null]);
  });

  test("a topic that no platform has is none", () => {
    for (const topic of ["x".repeat(129), "orders create", "orders/créate"])
      expect(deliver(shopify, { "x-shopify-topic": topic })).toBeNull();
  });

  test("the header, which is not signed, names no status", () => {
    expect(deliver(woocommerce, { "x-wc-webhook-topic": "order.updated:completed" }, { id: 1, status: "pending" })).toBeNull();
  });

  test("Standard Webhooks need all three", () => {
    const all = { "webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": "v1,x" };
    expect(generic.proofOf(headerReader(all))).toEqual({ scheme: "standard", id: "msg_1", timestamp: "1", signature: "v1,x" });
    for (const name of Object.keys(all)) expect(generic.proofOf(headerReader({ ...all, [name]: undefined }))).toBeNull();
  });
});

describe("WooCommerce's ping", () => {
  const form = headerReader({ "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" });
  const ping = (body: string, headers = form) => isPing(woocommerce, headers, Buffer.from(body));

  test("is a form of one id", () => {
    expect(ping("webhook_id=12")).toBe(true);
  });

  test.each(data<string[]>("core-sources-sources", "is no ping"))("%j is no ping", (body) => {
    expect(ping(body)).toBe(false);
  });

  test("nor is one of another type, or to another source", () => {
    expect(ping("webhook_id=12", headerReader({ "content-type": "application/json" }))).toBe(false);
    expect([shopify, generic].some((source) => isPing(source, form, Buffer.from("webhook_id=12")))).toBe(false);
  });
});

describe("topics and events", () => {
  test.each(data<[SourceType, string, string | null][]>("core-sources-sources", "topics and events"))("%s: %s", (type, key, event) => {
    expect(eventOfTopic(sources[type], {}, key)).toBe(event);
  });

  test("the operator's map goes first, one with a status before one without", () => {
    const topicMap = {
      "orders/fulfilled": "order.shipped",
      "orders/paid": null,
      "order.updated:on-hold": "order.held",
      "order.updated": null,
    };
    expect(eventOfTopic(shopify, topicMap, "orders/fulfilled")).toBe("order.shipped");
    expect(eventOfTopic(shopify, topicMap, "orders/paid")).toBeNull();
    expect(eventOfTopic(woocommerce, topicMap, "order.updated:on-hold")).toBe("order.held");
    expect(eventOfTopic(woocommerce, topicMap, "order.updated:processing")).toBeNull();
    expect(eventOfTopic(shopify, { "customers/redact": "user.gone" }, "customers/redact")).toBeNull();
    expect(eventOfTopic(generic, { "a.b": "c.d" }, "a.b")).toBe("c.d");
  });

  test("a body without id or time of change cannot be told from another", () => {
    expect(deliver(woocommerce, { "x-wc-webhook-topic": "order.updated" }, { id: 1, status: "a b" })).toMatchObject({
      status: null,
      duplicateOf: [],
    });
  });

  test("a checkout that became an order is over, a completed time of null is none", () => {
    const checkout = parse(shopBody("shopify-checkouts-create"));
    const event = (body: JsonObject) => {
      const delivery = deliver(shopify, { "x-shopify-topic": "checkouts/update" }, body);
      return delivery && eventOf(shopify, delivery);
    };
    expect([event(checkout), event({ ...checkout, completed_at: "2026-03-14T20:09:00Z" })]).toEqual(["cart.updated", null]);
  });

  test("a fulfilment asks for its order's last payload", () => {
    const body = parse(shopBody("shopify-fulfillments-create"));
    const order = { id: "9223372036854775101", needs: "payload" };
    expect(deliver(shopify, { "x-shopify-topic": "fulfillments/create" }, body)).toMatchObject({ order });
  });

  test.each<[JsonObject, string | null]>(data("core-sources-sources", "generic: j names s"))("generic: %j names %s", (body, event) => {
    expect(deliver(generic, {}, body)?.topic ?? null).toBe(event);
  });
});

test("a generic body is stored as it came", () => {
  const body = parse('{"type":"a.b","id":9223372036854775101,"test":true}');
  expect(generic.payloadOf(body, { topic: "a.b", siteUrl: "", storedOrder: null })).toBe(body);
});

describe("ids as text", () => {
  test("by name, and whatever a double does not hold", () => {
    const body = parse(
      '{"id":1,"ids":[2,"3"],"order_id":4,"kid":5,"count":6,"a":[{"product_id":7}],"n":9223372036854775101,"x_ids":{"y":8}}',
    );
    expect(idsAsText(body)).toEqual(data("core-sources-sources", "by name, and whatever a double does not hold"));
  });

  test("as they were written, though no double holds them", () => {
    const body = parseAsWritten(
      '{"id":1e400,"n":9007199254740993.0,"a":[-12345678901234567890,1.50,"1e400",-1E+309],"id":1e400,"total":1.0e+20}',
    );
    const kept = '{"id":"1e400","n":9007199254740992,"a":["-12345678901234567890",1.5,"1e400","-1E+309"],"total":100000000000000000000}';
    expect(printJson(idsAsText(body as JsonObject))).toBe(kept);
  });

  test("__proto__ is an ordinary key, and any depth is copied", () => {
    const proto = parse('{"__proto__":{"id":1},"a":{"__proto__":9223372036854775101}}');
    expect(printJson(idsAsText(proto))).toBe('{"__proto__":{"id":"1"},"a":{"__proto__":"9223372036854775101"}}');
    const deep = parse(`{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    expect(printJson(idsAsText(deep))).toBe(printJson(deep));
  });
});

describe("whatever a body holds", () => {
  const topicsOf = ({ events }: Source): string[] => [...(events?.keys() ?? []), "orders/updated", "order.updated", "other/thing"];
  const known = { siteUrl: "https://s.example" };

  const mapAll = (body: JsonObject, storedOrder: JsonObject | null): void => {
    const before = printJson(body);
    for (const source of Object.values(sources)) {
      for (const topic of topicsOf(source)) {
        const delivery = source.deliveryOf(() => topic, body);
        if (delivery !== null) eventOf(source, delivery);
        expect(typeof source.fits(topic, body)).toBe("boolean");
        const payload = source.payloadOf(body, { ...known, topic, storedOrder });
        expect(lookUp(payload, "test") === true).toBe(source === generic ? lookUp(body, "test") === true : isTestEvent("a", payload));
        expect(typeof printJson(payload)).toBe("string");
      }
    }
    expect(printJson(body)).toBe(before);
  };

  test("it is mapped without a throw or a change to it", () => {
    fc.assert(
      fc.property(hostilePayload, hostilePayload, (body, stored) => {
        mapAll(body as JsonObject, stored as JsonObject);
      }),
      { numRuns: scaled(8, 30) },
    );
  });

  test("members of the right names and any type too", () => {
    const names = data<string[]>("core-sources-sources", "names");
    const inner = ["phone", "country_code", "first_name", "quantity", "line_item", "key", "value", "tracking_numbers", "default_address"];
    const odd = fc.oneof(
      fc.constantFrom(null, true, 0, -1.5, 1e308, 2n ** 70n, "", " ", "x", "__proto__"),
      fc.constantFrom([], {}, [[]], [null], [[{}]]),
    );
    const object = fc.dictionary(fc.constantFrom(...inner), odd);
    const body = fc.dictionary(fc.constantFrom(...names), fc.oneof(odd, object, fc.array(fc.oneof(odd, object), { maxLength: 3 })));
    fc.assert(
      fc.property(body, body, (given, stored) => {
        mapAll(given as JsonObject, { customer: given, order: stored } as JsonObject);
      }),
      { numRuns: scaled(100, 300) },
    );
  });

  test("bytes that the reader takes", () => {
    fc.assert(
      fc.property(jsonBytes, (bytes) => {
        let body;
        try {
          body = parseJson(bytes.toString("utf8"));
        } catch {
          return;
        }
        if (typeof body !== "object" || body === null || Array.isArray(body)) return;
        expect(typeof printJson(shopify.payloadOf(body, { ...known, topic: "orders/create", storedOrder: body }))).toBe("string");
        expect(typeof printJson(woocommerce.payloadOf(body, { ...known, topic: "order.updated", storedOrder: body }))).toBe("string");
      }),
      { numRuns: scaled(20, 60) },
    );
  });

  test("two megabytes of items take a time that grows with their number", () => {
    const body = (items: number): JsonObject => ({
      id: 1,
      name: `#${".1".repeat(items)}`,
      line_items: Array.from({ length: items }, (_, id) => ({ id, name: "x".repeat(20), quantity: 1, price: "1.00" })),
      meta_data: Array.from({ length: items }, (_, id) => ({ id, key: "_wc_shipment_tracking_items", value: [] })),
    });
    const time = (items: number): number => {
      const given = body(items);
      return cpuMs(() => {
        for (const topic of ["orders/create", "fulfillments/create"]) shopify.payloadOf(given, { ...known, topic, storedOrder: given });
        woocommerce.payloadOf(given, { ...known, topic: "order.created", storedOrder: null });
      });
    };
    time(2_000);
    expect(time(20_000)).toBeLessThan(2_000);
  });
});

describe("the first phone that can be read", () => {
  const isPhone: IsPhone = (text, country) => /\d/.test(text) && country !== "ZZ";
  const places = (first: [string, string], second: [string, string]): Record<"shopify" | "woocommerce", JsonObject> => ({
    shopify: {
      shipping_address: { phone: first[0], country_code: first[1] },
      billing_address: { phone: second[0], country_code: second[1] },
    },
    woocommerce: { billing: { phone: first[0], country: first[1] }, shipping: { phone: second[0], country: second[1] } },
  });
  test.each<[[string, string], [string, string], object]>(data("core-sources-sources", "j, j"))("%j, %j", (first, second, customer) => {
    const known = { siteUrl: "", headers: headerReader({}), storedOrder: null, isPhone };
    const bodies = places(first, second);
    expect(shopify.payloadOf(bodies.shopify, { ...known, topic: "orders/create" })["customer"]).toEqual(customer);
    expect(woocommerce.payloadOf(bodies.woocommerce, { ...known, topic: "order.created" })["customer"]).toEqual(customer);
  });
});
