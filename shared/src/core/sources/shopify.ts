import { type JsonObject, type JsonValue, isJsonObject, lookUp } from "../json.ts";
import { amountOf } from "./money.ts";
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
  plainDelivery,
  scalar,
  scalarAt,
  type ShopPerson,
  type Source,
  topicOf,
  withRefund,
} from "./source.ts";
import topics from "./topics.json" with { type: "json" };

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
  events: new Map(Object.entries(topics.shopify)),
  privacyTopics: new Map([
    ["customers/redact", personToRedact],
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
    const [id, event] = [own(headers, "webhook-id"), own(headers, "event-id")];
    const resource = topic.slice(0, topic.indexOf("/"));
    const orderId = scalarAt(body, isPartOfOrder(topic) ? "order_id" : "id");
    const checkout = scalarAt(body, resource === "checkouts" ? "token" : "checkout_token");
    const isOfOrder = resource === "orders" || isPartOfOrder(topic);
    const isOfCheckout = (resource === "checkouts" || resource === "orders") && checkout !== undefined;
    const plain = plainDelivery(topic);
    return {
      ...plain,
      // Two subscriptions to a topic post its event twice.
      duplicateOf: [event === null ? null : ["event", topic, event], id === null ? null : [id]].filter((key) => key !== null),
      isNothing: isNothing[topic]?.(body) === true,
      news: isOver(topic, body) ? [] : plain.news,
      about: isOfCheckout
        ? { kind: "checkout", id: checkout }
        : resource === "orders" && orderId !== undefined
          ? { kind: "id", id: orderId }
          : null,
      leaves: resource === "orders" ? (isCancelled(body) ? [ordered, cancelled] : [ordered]) : isBought(topic, body) ? [ordered] : [],
      unless: resource === "checkouts" ? ordered : resource === "orders" && beforeTheEnd.has(topic) ? cancelled : null,
      order: orderId === undefined || !isOfOrder ? null : { id: orderId, needs: isPartOfOrder(topic) ? "payload" : "status" },
      endedBy: beforeTheEnd.has(topic) ? cancelled : null,
      shows: resource === "orders" ? shownBy(body) : isBought(topic, body) ? ["orders/create"] : [],
    };
  },

  fits,

  payloadOf(body, known) {
    const raw = idsAsText(body);
    const refund = known.topic === "refunds/create" ? refundOf(raw) : null;
    return compact({ ...membersOf(raw, known), site: { url: known.siteUrl }, data: withRefund(raw, refund) });
  },
};

/** The marks of a checkout that became an order, and of one whose order was cancelled. */
const ordered = "ordered";
const cancelled = "cancelled";
const isCancelled = (body: JsonObject): boolean => scalarAt(body, "cancelled_at") !== undefined;

/** Topics of an order that tell nothing once it is cancelled: Shopify promises no order of its deliveries. */
const beforeTheEnd = new Set(["orders/create", "orders/paid", "fulfillments/create"]);

/** Whether a checkout has become an order. */
const isBought = (topic: string, body: JsonObject) => topic.startsWith("checkouts/") && scalarAt(body, "completed_at") !== undefined;

/** Whether what the topic tells of is over in the body itself. The shop's test button posts cancelled orders. */
const isOver = (topic: string, body: JsonObject): boolean =>
  isBought(topic, body) || (beforeTheEnd.has(topic) && isCancelled(body) && lookUp(body, "test") !== true);

const paid = new Set(["paid", "partially_refunded", "refunded"]);

/** What has happened to an order in that state, in whatever order Shopify tells of it. */
const shownBy = (order: JsonObject): string[] => [
  "orders/create",
  ...(paid.has(scalarAt(order, "financial_status") ?? "") ? ["orders/paid"] : []),
  ...(isCancelled(order) ? ["orders/cancelled"] : []),
];

const failedFulfilments = new Set(["cancelled", "error", "failure"]);

/** Whether nothing has happened, although the topic says so. */
const isNothing: Readonly<Record<string, (body: JsonObject) => boolean>> = {
  "fulfillments/create": (body) => failedFulfilments.has(scalarAt(body, "status") ?? ""),
  "refunds/create": (body) => paidBack(body).length === 0,
};

/** The transactions by which money has gone back. */
const paidBack = (refund: JsonValue): JsonValue[] =>
  listOf(lookUp(refund, "transactions")).filter(
    (one) => lookUp(one, "kind") === "refund" && lookUp(one, "status") === "success" && !/^[0.]+$/.test(scalarAt(one, "amount") ?? ""),
  );

/** Members of each form that the ones below it do not have. */
const marks = topics.marksOfShopify as [string, ...string[]][];

/** The forms of a topic's bodies, by the topic or by its beginning; every other topic takes all. */
const formsOfTopics = new Map<string, string[]>(Object.entries(topics.formsOfShopify));

/** The member with the id of what the topic is about, by topic: no other body of it is one. */
const idsOfTopics = new Map(Object.entries(topics.idsOfShopify));

const unpaid = new Set(["pending", "authorized", "partially_paid", "expired"]);
/** The shop's test button posts a voided order under every topic of orders. */
const isPaidFor = (order: JsonObject): boolean => {
  const status = scalarAt(order, "financial_status") ?? "";
  return !unpaid.has(status) && (status !== "voided" || lookUp(order, "test") === true);
};

/** What a topic says of its bodies beyond their form. */
const statesOfTopics = new Map<string, (body: JsonObject) => boolean>([
  ["orders/cancelled", (body) => (lookUp(body, "cancelled_at") ?? null) !== null],
  ["orders/paid", isPaidFor],
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
  const id = idsOfTopics.get(topic);
  if (id !== undefined && scalarAt(body, id) === undefined) return false;
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
    return isJsonObject(value) ? value : {};
  };
  const { tracking_number: _number, tracking_carrier: _carrier, requires_shipping: _requires, ...ofOrder } = before("order");
  const lines = [lookUp(raw, "refund_line_items"), lookUp(raw, "line_items")].find((list) => listOf(list).length > 0);
  const order = compact({
    id: scalarAt(raw, "order_id"),
    number:
      scalarAt(raw, "name")
        ?.replace(/\.\d+$/, "")
        .replace(/^#+\s*/, "") || undefined,
    ...itemsOf(lines, (line) => ({
      ...lineOf(lookUp(line, "line_item") ?? line, scalarAt(ofOrder, "currency")),
      qty: lookUp(line, "quantity"),
    })),
    ...trackingOf(raw),
    requires_shipping: hasNothingToShip(raw) ? false : undefined,
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

/** Gift cards, services and downloads need no parcel. */
function hasNothingToShip(raw: JsonObject): boolean {
  const lines = listOf(lookUp(raw, "line_items"));
  return lines.length > 0 && lines.every((line) => lookUp(line, "requires_shipping") === false || lookUp(line, "gift_card") === true);
}

/** The refund: the sum of what has gone back, without an amount where that was in several currencies. */
function refundOf(raw: JsonObject): JsonObject {
  const moneys = paidBack(raw).map((one) => moneyOf(one, ["amount_set"], { amount: "amount", currency: "currency" }));
  const [currency, ...others] = new Set(moneys.map((money) => money.currency));
  const amount =
    others.length > 0
      ? null
      : amountOf(
          moneys.map((money) => money.amount ?? ""),
          currency,
        )?.replace("-", "");
  return compact({ id: scalarAt(raw, "id"), amount: amount ?? undefined, currency: amount == null ? undefined : currency });
}

/** The first amount of the given sets that is there, in the customer's currency before the shop's; else the plain one, in the shop's. */
function moneyOf(raw: JsonValue, sets: readonly string[], plain: { amount: string; currency: string }) {
  for (const place of sets.flatMap((set) => [`${set}.presentment_money`, `${set}.shop_money`])) {
    const amount = scalarAt(raw, `${place}.amount`);
    if (amount !== undefined) return { amount, currency: scalarAt(raw, `${place}.currency_code`) };
  }
  return { amount: scalarAt(raw, plain.amount), currency: scalarAt(raw, plain.currency) };
}

/** The total and its currency, as the order is now. */
function totalOf(raw: JsonObject): { total: string | undefined; currency: string | undefined } {
  const names = ["current_total_price", "total_price"].find((name) => lookUp(raw, name) !== undefined) ?? "total_price";
  const { amount: total, currency } = moneyOf(raw, ["current_total_price_set", "total_price_set"], { amount: names, currency: "currency" });
  return { total, currency: currency ?? scalarAt(raw, "currency") };
}

function orderOf(raw: JsonObject): JsonObject {
  const number = scalarAt(raw, "name")?.replace(/^#+\s*/, "") || undefined;
  const fulfilments = listOf(lookUp(raw, "fulfillments"));
  const lines = lookUp(raw, "line_items");
  const isLeft = (line: JsonValue): boolean => scalarAt(line, "current_quantity") !== "0";
  const money = totalOf(raw);
  return compact({
    id: scalarAt(raw, "id"),
    number: firstOf([number, scalarAt(raw, "order_number")]),
    status: isCancelled(raw) ? cancelled : firstOf([scalarAt(raw, "fulfillment_status"), scalarAt(raw, "financial_status")]),
    ...money,
    ...itemsOf(Array.isArray(lines) ? lines.filter(isLeft) : lines, (line) => ({
      ...lineOf(line, money.currency),
      qty: lookUp(line, "current_quantity") ?? lookUp(line, "quantity"),
    })),
    order_url_customer: scalarAt(raw, "order_status_url"),
    ...trackingOf(fulfilments.findLast((one) => trackingOf(one).tracking_number !== undefined) ?? null),
    requires_shipping: hasNothingToShip(raw) ? false : undefined,
  });
}

function cartOf(raw: JsonObject): JsonObject {
  const money = totalOf(raw);
  return compact({
    id: scalarAt(raw, "token"),
    ...money,
    ...itemsOf(lookUp(raw, "line_items"), (line) => lineOf(line, money.currency)),
    recovery_url: scalarAt(raw, "abandoned_checkout_url"),
  });
}

/** A line, with its price in that currency unless it names one. */
function lineOf(line: JsonValue, ofOrder: string | undefined) {
  const { amount, currency = ofOrder } = moneyOf(line, ["price_set"], { amount: "price", currency: "currency" });
  return {
    name: firstOf([scalarAt(line, "name"), scalarAt(line, "title")]),
    qty: lookUp(line, "quantity"),
    price: amount === undefined ? undefined : (amountOf([amount], currency) ?? amount),
  };
}

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
    // By it the shop names whom to forget, also where a body of theirs has no customer: of a refund, or of a shipment.
    id: scalarAt(customer, "id"),
    ...namesOf([customer, shipping, billing, home]),
    email: firstOf([scalarAt(raw, "email"), scalarAt(raw, "contact_email"), scalarAt(customer, "email")]),
    phone,
    country: ofPhone,
    locale: firstOf([scalarAt(raw, "customer_locale"), scalarAt(customer, "locale")]),
  });
}

/** Members of the bodies of other topics: the topic is not signed, so none of them must cause an erasure. */
const notOfRedact = ["id", "data_request", "orders_requested"];
/** Bounds what a request keeps; the customer's other orders are found by the customer. */
const mostOrders = 1_000;

/** The person to forget, as the shop names them. */
function personToRedact(body: JsonObject): ShopPerson | null {
  if (notOfRedact.some((name) => lookUp(body, name) !== undefined)) return null;
  const raw = idsAsText(body);
  const phone = scalarAt(raw, "customer.phone") ?? null;
  const address = shortText(scalarAt(raw, "customer.email"));
  // Another text would be found in what belongs to others.
  const email = address !== null && /^[^@\s]+@[^@\s]+$/u.test(address) ? address : null;
  const customer = shortText(scalarAt(raw, "customer.id"));
  const orders = listOf(lookUp(raw, "orders_to_redact"))
    .flatMap((id) => shortText(scalar(id)) ?? [])
    .slice(0, mostOrders);
  return [phone, email, customer].every((each) => each === null) && orders.length === 0 ? null : { phone, email, customer, orders };
}

const shortText = (text: string | undefined): string | null => (text === undefined || text.length > 320 ? null : text);
