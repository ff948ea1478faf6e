import { type JsonObject, lookUp } from "shared/core/json";
import { type Delivery, type KnownFacts, scalarAt, type Source } from "shared/core/sources/source";
import { sources } from "shared/core/sources/sources";

const { woocommerce, shopify } = sources;

const withDelivery = (source: Source, change: (delivery: Delivery, body: JsonObject) => Partial<Delivery>): Source => ({
  ...source,
  deliveryOf: (headers, body) => {
    const delivery = source.deliveryOf(headers, body);
    return delivery && { ...delivery, ...change(delivery, body) };
  },
});

const withPayload = (source: Source, change: (payload: JsonObject, raw: JsonObject, known: KnownFacts) => JsonObject): Source => ({
  ...source,
  payloadOf: (body, known) => {
    const payload = source.payloadOf(body, known);
    return { ...payload, ...change(payload, body, known) };
  },
});

const withItem = (source: Source, item: (raw: JsonObject) => JsonObject): Source =>
  withPayload(source, (payload, raw) => ({
    order: { ...(payload["order"] as JsonObject), items: [{ ...(lookUp(payload, "order.items.0") as JsonObject), ...item(raw) }] },
  }));

const textAt = (raw: JsonObject, path: string): string => scalarAt(raw, path) ?? "";

/** WooCommerce with one rule less. */
export const wooWithout: Record<string, Source> = {
  "an older state is ignored": withDelivery(woocommerce, () => ({ changedAt: null })),
  "drafts and the trash are ignored": withDelivery(woocommerce, () => ({ isNothing: false })),
  "an order is created once": withDelivery(woocommerce, ({ topic, news, duplicateOf }) =>
    topic === "order.created" ? { news: news.map((one) => ({ ...one, once: null })), duplicateOf: duplicateOf.slice(0, 1) } : {},
  ),
  "a status is told once": withDelivery(woocommerce, ({ news }) => ({
    news: news.map((one) => (one.isStatus === true ? { ...one, once: null } : one)),
  })),
  "a status of order.created is no second event, but that of the first order.updated is": withDelivery(
    woocommerce,
    ({ topic, news }, body) =>
      topic === "order.created" ? { news: [...news, { key: "", once: scalarAt(body, "status") ?? "", isStatus: true }] } : {},
  ),
  "cash on delivery is paid when it has a date of payment": withDelivery(woocommerce, ({ news }) => ({
    news: news.map((one) => ({ ...one, isNot: undefined })),
  })),
  "a refund is told by its id": withDelivery(woocommerce, ({ news }) => ({ news: news.filter(({ refund }) => refund === undefined) })),
  "a refund is told once": withDelivery(woocommerce, ({ news }) => ({
    news: news.map((one) => (one.refund === undefined ? one : { ...one, once: null })),
  })),
  "a price is an amount of money": withItem(woocommerce, (raw) => ({ price: textAt(raw, "line_items.0.price") })),
  "names are decoded": withItem(woocommerce, (raw) => ({ name: textAt(raw, "line_items.0.name") })),
  "a refund has its amount": withPayload(woocommerce, (_, raw) => ({ data: { raw } })),
};

/** Shopify with one rule less. */
export const shopifyWithout: Record<string, Source> = {
  "an event that two subscriptions post is one": withDelivery(shopify, ({ duplicateOf }) => ({ duplicateOf: duplicateOf.slice(1) })),
  "a request that comes again is a repeat": withDelivery(shopify, () => ({ duplicateOf: [] })),
  "a checkout that was bought is no cart": withDelivery(shopify, () => ({ unless: null })),
  "a fulfilment that failed is none": withDelivery(shopify, ({ topic }) => (topic === "fulfillments/create" ? { isNothing: false } : {})),
  "a refund is one when money has moved": withDelivery(shopify, ({ topic }) => (topic === "refunds/create" ? { isNothing: false } : {})),
  "a cancelled order is not told of as new": withDelivery(shopify, ({ topic, unless }) => ({
    endedBy: null,
    unless: topic.startsWith("orders/") ? null : unless,
  })),
  "the total is the customer's, and present": withPayload(shopify, (payload, raw) => ({
    order: { ...((payload["order"] ?? {}) as JsonObject), total: raw["total_price"] ?? "", currency: raw["currency"] ?? "" },
  })),
  "pieces are those that are left": withItem(shopify, () => ({ qty: 3 })),
  "prices are the customer's": withItem(shopify, (raw) => ({ price: textAt(raw, "line_items.0.price") })),
  "a refund has its amount": withPayload(shopify, (_, raw) => ({ data: { raw } })),
};
