import type { JsonObject, JsonValue } from "../json.ts";
import { lookUp } from "../path.ts";
import {
  compact,
  firstOf,
  formOf,
  type HeaderReader,
  idsAsText,
  itemsOf,
  type IsPhone,
  type KnownFacts,
  listOf,
  namesOf,
  orNothing,
  phoneAndCountry,
  scalarAt,
  type Source,
  topicOf,
} from "./source.ts";

/** Both names of a header: newer deliveries leave out the `X-`. */
const namesOfOwn = (name: string): [string, string] => [`x-shopify-${name}`, `shopify-${name}`];

function own(headers: HeaderReader, name: string): string | null {
  const [older, newer] = namesOfOwn(name);
  return headers(older) ?? headers(newer);
}

/** Shopify's webhooks in their REST form. */
export const shopify: Source = {
  secret: "source_secret",
  normalizesPhones: true,
  signsBodyAlone: true,
  events: new Map([
    ["orders/create", "order.created"],
    ["orders/paid", "payment.received"],
    ["fulfillments/create", "order.shipped"],
    ["orders/cancelled", "order.cancelled"],
    ["refunds/create", "order.refunded"],
    ["customers/create", "user.signup"],
    ["checkouts/create", "cart.updated"],
    ["checkouts/update", "cart.updated"],
  ]),
  privacyTopics: new Map([
    ["customers/redact", (body: JsonObject) => scalarAt(body, "customer.phone") ?? null],
    ["customers/data_request", () => null],
    ["shop/redact", () => null],
  ]),
  headers: { topics: namesOfOwn("topic"), signatures: namesOfOwn("hmac-sha256"), shown: namesOfOwn("webhook-id") },
  ping: null,
  orders: null,

  proofOf(headers) {
    const signature = own(headers, "hmac-sha256");
    return signature === null ? null : { scheme: "base64", signature };
  },

  deliveryOf(headers, body) {
    const topic = topicOf(own(headers, "topic"));
    if (topic === null) return null;
    const id = own(headers, "webhook-id");
    const orderId = isPartOfOrder(topic) ? scalarAt(body, "order_id") : undefined;
    return {
      topic,
      status: null,
      duplicateOf: id === null ? null : [id],
      once: null,
      order: orderId === undefined ? null : { id: orderId, needs: "payload" },
      isOver: topic.startsWith("checkouts/") && (lookUp(body, "completed_at") ?? null) !== null,
    };
  },

  fits,

  payloadOf(body, known) {
    const raw = idsAsText(body);
    return compact({ ...membersOf(raw, known), site: { url: known.siteUrl }, data: { raw } });
  },
};

type Form =
  | "data_request"
  | "redact"
  | "refund"
  | "fulfillment"
  | "part"
  | "checkout"
  | "draft"
  | "order"
  | "customer"
  | "product"
  | "shop";

/** Members of each form that the ones below it do not have. */
const marks: readonly (readonly [Form, ...string[]])[] = [
  ["data_request", "data_request", "orders_requested"],
  ["redact", "orders_to_redact"],
  ["refund", "refund_line_items", "order_adjustments"],
  ["fulfillment", "tracking_company", "tracking_numbers", "shipment_status"],
  ["checkout", "abandoned_checkout_url"],
  ["draft", "invoice_url"],
  ["order", "order_number", "financial_status", "order_status_url"],
  ["part", "order_id"],
  ["customer", "verified_email", "tax_exempt", "default_address"],
  ["product", "variants"],
  ["shop", "shop_domain"],
];

/** The forms of a topic's bodies, by the topic or by its beginning; every other topic takes all. */
const formsOfTopics = new Map<string, readonly Form[]>([
  ["orders", ["order"]],
  ["checkouts", ["checkout"]],
  ["fulfillments", ["fulfillment", "part"]],
  ["refunds", ["refund", "part"]],
  ["customers", ["customer"]],
  ["draft_orders", ["draft"]],
  ["products", ["product"]],
  ["customers/redact", ["redact", "shop"]],
  ["customers/data_request", ["data_request", "shop"]],
  ["shop/redact", ["shop"]],
]);

/** What a topic says of its bodies beyond their form. The shop's test button posts a voided order under every topic of orders. */
const statesOfTopics = new Map<string, (body: JsonObject) => boolean>([
  ["orders/cancelled", (body) => (lookUp(body, "cancelled_at") ?? null) !== null],
  ["orders/paid", (body) => !["pending", "authorized"].includes(scalarAt(body, "financial_status") ?? "")],
  ["customers/redact", isOfPerson],
  ["customers/data_request", isOfPerson],
  ["shop/redact", (body) => ["id", "customer"].every((name) => lookUp(body, name) === undefined)],
]);

function isOfPerson(body: JsonObject): boolean {
  return lookUp(body, "id") === undefined && lookUp(body, "customer") !== undefined;
}

function fits(topic: string, body: JsonObject): boolean {
  const form = formOf(body, marks);
  const forms = formsOfTopics.get(topic) ?? formsOfTopics.get(topic.slice(0, topic.indexOf("/")));
  return (form === undefined || forms === undefined || forms.includes(form)) && statesOfTopics.get(topic)?.(body) !== false;
}

const isPartOfOrder = (topic: string): boolean => topic.startsWith("fulfillments/") || topic.startsWith("refunds/");

function membersOf(raw: JsonObject, { topic, storedOrder, isPhone }: KnownFacts): Record<string, JsonValue | undefined> {
  if (isPartOfOrder(topic)) return partOfOrder(raw, storedOrder);
  const test = lookUp(raw, "test") === true ? true : undefined;
  if (topic.startsWith("customers/")) return { customer: orNothing(customerOf({ customer: raw }, isPhone)) };
  const customer = orNothing(customerOf(raw, isPhone));
  if (topic.startsWith("checkouts/")) return { test, customer, cart: cartOf(raw) };
  if (!topic.startsWith("orders/")) return { test, customer };
  const checkout = scalarAt(raw, "checkout_token");
  return { test, customer, order: orderOf(raw), cart: checkout === undefined ? undefined : { id: checkout } };
}

/** A fulfilment or a refund, with missing members of its order and customer from the order's last payload, except another parcel's number. */
function partOfOrder(raw: JsonObject, stored: JsonObject | null): Record<string, JsonValue | undefined> {
  const before = (path: string): JsonObject => {
    const value = stored === null ? undefined : lookUp(stored, path);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  };
  const { tracking_number: _number, tracking_carrier: _carrier, ...ofOrder } = before("order");
  const lines = [lookUp(raw, "refund_line_items"), lookUp(raw, "line_items")].find((list) => listOf(list).length > 0);
  const order = compact({
    id: scalarAt(raw, "order_id"),
    number:
      scalarAt(raw, "name")
        ?.replace(/\.\d+$/, "")
        .replace(/^#+/, "") || undefined,
    ...itemsOf(lines, (line) => ({ ...lineOf(lookUp(line, "line_item") ?? line), qty: lookUp(line, "quantity") })),
    ...trackingOf(raw),
  });
  const customer = {
    ...customerOf({ email: raw["email"] ?? null, shipping_address: lookUp(raw, "destination") ?? null }),
    ...before("customer"),
  };
  return {
    test: stored !== null && lookUp(stored, "test") === true ? true : undefined,
    customer: orNothing(customer),
    order: { ...ofOrder, ...order },
    cart: orNothing(before("cart")),
  };
}

function orderOf(raw: JsonObject): JsonObject {
  const cancelled = scalarAt(raw, "cancelled_at");
  const number = scalarAt(raw, "name")?.replace(/^#+/, "") || undefined;
  const fulfilments = listOf(lookUp(raw, "fulfillments"));
  return compact({
    id: scalarAt(raw, "id"),
    number: firstOf([number, scalarAt(raw, "order_number")]),
    status: cancelled === undefined ? firstOf([scalarAt(raw, "fulfillment_status"), scalarAt(raw, "financial_status")]) : "cancelled",
    total: scalarAt(raw, "total_price"),
    currency: scalarAt(raw, "currency"),
    ...itemsOf(lookUp(raw, "line_items"), lineOf),
    order_url_customer: scalarAt(raw, "order_status_url"),
    ...trackingOf(fulfilments.findLast((one) => trackingOf(one).tracking_number !== undefined) ?? null),
  });
}

const cartOf = (raw: JsonObject): JsonObject =>
  compact({
    id: scalarAt(raw, "token"),
    total: scalarAt(raw, "total_price"),
    currency: scalarAt(raw, "currency"),
    ...itemsOf(lookUp(raw, "line_items"), lineOf),
    recovery_url: scalarAt(raw, "abandoned_checkout_url"),
  });

const lineOf = (line: JsonValue) => ({
  name: firstOf([scalarAt(line, "name"), scalarAt(line, "title")]),
  qty: lookUp(line, "quantity"),
  price: lookUp(line, "price"),
});

const trackingOf = (fulfilment: JsonValue) => ({
  tracking_number: firstOf([scalarAt(fulfilment, "tracking_number"), scalarAt(fulfilment, "tracking_numbers.0")]),
  tracking_carrier: scalarAt(fulfilment, "tracking_company"),
});

/** The customer. Guests have no `customer`, so their addresses tell who they are. */
function customerOf(raw: JsonObject, isPhone?: IsPhone): JsonObject {
  const [customer, shipping, billing] = ["customer", "shipping_address", "billing_address"].map((key) => lookUp(raw, key));
  const home = customer === undefined ? undefined : lookUp(customer, "default_address");
  const country = (address: JsonValue | undefined) => scalarAt(address, "country_code");
  const places = [
    { phone: scalarAt(raw, "phone"), country: firstOf([shipping, billing, home].map(country)) },
    { phone: scalarAt(customer, "phone"), country: firstOf([home, shipping, billing].map(country)) },
    ...[shipping, billing, home].map((address) => ({ phone: scalarAt(address, "phone"), country: country(address) })),
  ];
  const { phone, country: ofPhone } = phoneAndCountry(places, isPhone);
  return compact({
    ...namesOf([customer, shipping, billing, home]),
    email: firstOf([scalarAt(raw, "email"), scalarAt(raw, "contact_email"), scalarAt(customer, "email")]),
    phone,
    country: ofPhone,
    locale: firstOf([scalarAt(raw, "customer_locale"), scalarAt(customer, "locale")]),
  });
}
