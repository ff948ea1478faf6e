import { type JsonObject, type JsonValue, isJsonObject, lookUp } from "../json.ts";
import { amountOf } from "./money.ts";
import {
  compact,
  firstOf,
  formOf,
  idsAsText,
  itemsOf,
  type IsPhone,
  listOf,
  namesOf,
  type News,
  orNothing,
  phoneAndCountry,
  plainDelivery,
  scalar,
  scalarAt,
  type Source,
  topicOf,
  withRefund,
} from "./source.ts";
import topics from "./topics.json" with { type: "json" };

/** The most orders in one answer of WooCommerce. */
const pageSize = 100;

/** WooCommerce's webhooks in the form of its REST API. */
export const woocommerce: Source = {
  secret: "webhook_secret",
  normalizesPhones: true,
  signsBodyAlone: true,
  events: new Map(Object.entries(topics.woocommerce)),
  privacyTopics: new Map(),
  headers: { topics: ["x-wc-webhook-topic"], signatures: ["x-wc-webhook-signature"], shown: ["x-wc-webhook-delivery-id"] },
  ping: { contentType: "application/x-www-form-urlencoded", body: /^webhook_id=\d+$/ },

  orders: {
    pageSize,
    // WordPress takes a time without a zone literally.
    pagePath: (since, page) =>
      `wp-json/wc/v3/orders?modified_after=${since.toISOString().slice(0, 19)}&per_page=${pageSize}&page=${page}&dates_are_gmt=true&orderby=modified`,
    headersOf: (kind) => ({ "x-wc-webhook-topic": `order.${kind === "created" ? "created" : "updated"}` }),
    told: (order) => ["order.created", scalarAt(order, "status") ?? [], refundIds(order).map(refundMark)].flat(2),
    read(order) {
      const id = scalarAt(order, "id");
      if (id === undefined || isDraft(order)) return null;
      const createdAt = new Date(`${scalarAt(order, "date_created_gmt")}Z`);
      return { id, createdAt: Number.isNaN(createdAt.getTime()) ? null : createdAt };
    },
  },

  proofOf(headers) {
    const signature = headers("x-wc-webhook-signature");
    return signature === null ? null : { scheme: "base64", signature };
  },

  deliveryOf(headers, body) {
    const topic = topicOf(headers("x-wc-webhook-topic"));
    if (topic === null) return null;
    if (isLegacy(topic, body)) return { ...plainDelivery(topic), status: legacyStatus, isNothing: true };
    const shows = showsOf(topic, body);
    if (topic !== "order.created" && topic !== "order.updated") return { ...plainDelivery(topic), duplicateOf: keysOf(topic, body), shows };
    const [id, written] = [scalarAt(body, "id"), scalarAt(body, "status")];
    const status = written !== undefined && /^[a-z0-9_-]{1,40}$/.test(written) ? written : null;
    const isUpdate = topic === "order.updated";
    return {
      ...plainDelivery(topic),
      status: isUpdate ? status : null,
      isNow: isUnpaid(body) ? null : status,
      duplicateOf: keysOf(topic, body),
      isNothing: isDraft(body),
      news: isUpdate ? newsOfUpdate(status, body) : [{ key: topic, once: id === undefined ? null : topic }],
      about: id === undefined ? null : { kind: "id", id },
      changedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(scalarAt(body, "date_modified_gmt") ?? "")?.[0] ?? null,
      order: id === undefined ? null : { id, needs: "status" },
      shows,
    };
  },

  fits(topic, body) {
    const form = formOf(body, marks);
    const resource = topic.slice(0, topic.indexOf("."));
    if (withId.test(topic) && scalarAt(body, "id") === undefined && !isLegacy(topic, body)) return false;
    return form === undefined || !resources.has(resource) || form === resource;
  },

  payloadOf(body, known) {
    const raw = idsAsText(body);
    const isOrder = known.topic.startsWith("order.");
    const decode = (members: JsonObject): JsonObject => (known.decode === undefined ? members : decoded(members, known.decode));
    return compact({
      customer: orNothing(decode(customerOf(raw, isOrder, known.isPhone))),
      order: isOrder ? decode(orderOf(raw)) : undefined,
      site: { url: known.siteUrl },
      data: withRefund(raw, refundOf(raw, known.refund ?? null)),
    });
  },
};

/** Statuses of what is no order yet, or no more. */
const drafts = new Set(["auto-draft", "checkout-draft", "draft", "trash"]);
const isDraft = (body: JsonObject): boolean => drafts.has(scalarAt(body, "status") ?? "");

/** Topics of which every body has the id of its order or customer. */
const withId = /^(?:order|customer)\.(?:created|updated)$/;

/** The legacy API wraps its bodies. No status of an order is in capitals. */
export const legacyStatus = "LEGACY";
const isLegacy = (topic: string, body: JsonObject): boolean => {
  const resource = /^(?:order|customer)(?=\.)/.exec(topic)?.[0];
  const wrapped = resource === undefined ? undefined : lookUp(body, resource);
  return lookUp(body, "id") === undefined && isJsonObject(wrapped);
};

const hasDateOfPayment = (body: JsonObject): boolean => ["date_paid", "date_paid_gmt"].some((name) => scalarAt(body, name) !== undefined);

/** Cash on delivery is in progress before anybody has paid. */
const isUnpaid = (body: JsonObject): boolean =>
  scalarAt(body, "status") === "processing" && scalarAt(body, "payment_method") === "cod" && !hasDateOfPayment(body);

/** What has happened to an order in that state: those of downloads are completed at once, shops have statuses of their own, and some orders are deleted. */
function showsOf(topic: string, body: JsonObject): string[] {
  const status = scalarAt(body, "status") ?? "";
  if (topic === "order.deleted" || (topic.startsWith("order.") && status === "trash")) return ["order.updated:cancelled"];
  if (topic !== "order.created" && topic !== "order.updated") return [];
  return hasDateOfPayment(body) || (["processing", "completed"].includes(status) && !isUnpaid(body)) ? ["order.updated:processing"] : [];
}

const longestId = 40;

/** The ids of an order's refunds, the oldest first. */
const refundIds = (order: JsonValue): string[] =>
  listOf(lookUp(order, "refunds"))
    .flatMap((refund) => scalarAt(refund, "id") ?? [])
    .filter((id) => id.length <= longestId)
    .toReversed();

const refundMark = (id: string): string => `refund ${id}`;

/** A refund of a part leaves the order's status as it is, and one of all has a status of its own, which alone tells nothing. One of nothing tells nothing. */
function newsOfUpdate(status: string | null, body: JsonObject): News[] {
  const refunds = refundIds(body)
    .filter((id) => !/^[0.]+$/.test(scalarAt(refundOf(body, id) ?? {}, "amount") ?? ""))
    .map((id) => ({ key: "order.updated:refund", once: refundMark(id), refund: id }));
  const isNot = isUnpaid(body) ? "payment.received" : undefined;
  return [...refunds, { key: status === null ? "order.updated" : `order.updated:${status}`, once: status, isStatus: true, isNot }];
}

/** Each try has a delivery id of its own, so a repeat is recognized by its content. What is saved within a second has one time. */
function keysOf(topic: string, body: JsonObject): string[][] {
  const [id, changed] = [scalarAt(body, "id"), scalarAt(body, "date_modified_gmt")];
  if (id === undefined) return [];
  const content = changed === undefined ? [] : [[topic, id, scalarAt(body, "status") ?? "", changed, ...refundIds(body)]];
  return topic.endsWith(".created") ? [...content, [topic, id]] : content;
}

/** Members of each form that the ones below it do not have. */
const marks = topics.marksOfWoocommerce as [string, ...string[]][];
const resources: ReadonlySet<string> = new Set(marks.map(([form]) => form));

function orderOf(raw: JsonObject): JsonObject {
  const [status, currency, total] = [scalarAt(raw, "status"), scalarAt(raw, "currency"), lookUp(raw, "total")];
  const tracking = trackingOf(raw);
  return compact({
    id: scalarAt(raw, "id"),
    number: scalarAt(raw, "number"),
    status,
    total: typeof total === "number" ? (amountOf([String(total)], currency) ?? undefined) : scalar(total),
    currency,
    ...itemsOf(lookUp(raw, "line_items"), (line) => ({
      name: lookUp(line, "name"),
      qty: lookUp(line, "quantity"),
      price: priceOf(line, currency),
    })),
    // A guest can open only this address of an order; a paid order cannot be paid again.
    order_url_customer: status === "pending" || status === "failed" ? scalarAt(raw, "payment_url") : undefined,
    ...tracking,
    requires_shipping: tracking.tracking_number === undefined && hasNothingToShip(raw) ? false : undefined,
  });
}

/** What a piece costs the customer, with its tax: `price` of the body is an unrounded number without. */
function priceOf(line: JsonValue, currency: string | undefined): string | undefined {
  const [total, quantity, price] = [scalarAt(line, "total"), scalarAt(line, "quantity"), scalarAt(line, "price")];
  const whole = total === undefined ? null : amountOf([total, scalarAt(line, "total_tax") ?? "0"], currency, quantity);
  return whole ?? (price === undefined ? undefined : (amountOf([price], currency) ?? price));
}

/** True where WooCommerce says so, for an order that is picked up, and for one without a way of shipping: its address is the bill's. */
function hasNothingToShip(raw: JsonObject): boolean {
  if (lookUp(raw, "needs_processing") === false) return true;
  const lines = lookUp(raw, "shipping_lines");
  return lines !== undefined && lines !== null && listOf(lines).every((line) => /pickup/.test(scalarAt(line, "method_id") ?? ""));
}

/** The refund with that id. */
function refundOf(raw: JsonObject, id: string | null): JsonObject | null {
  const refund = id === null ? undefined : listOf(lookUp(raw, "refunds")).find((one) => scalarAt(one, "id") === id);
  if (id === null || refund === undefined) return null;
  const currency = scalarAt(raw, "currency");
  const amount = amountOf([scalarAt(refund, "total") ?? ""], currency)?.replace("-", "");
  return compact({ id, amount, currency });
}

/** WordPress stores the texts of users without `unfiltered_html` as HTML. Addresses of pages are none. */
function decoded(members: JsonObject, decode: (text: string) => string): JsonObject {
  const decodeIn = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return decode(value);
    if (Array.isArray(value)) return value.map(decodeIn);
    return typeof value === "object" && value !== null ? decoded(value, decode) : value;
  };
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, name.includes("url") ? value : decodeIn(value)]));
}

/** WooCommerce has no parcels itself: the common plugins keep theirs in this field of the order. */
const parcelsKey = "_wc_shipment_tracking_items";

function trackingOf(raw: JsonObject): { tracking_number?: string | undefined; tracking_carrier?: string | undefined } {
  const field = listOf(lookUp(raw, "meta_data")).findLast((one) => lookUp(one, "key") === parcelsKey);
  // Some plugins write the one parcel instead of a list.
  const parcels = field === undefined ? undefined : lookUp(field, "value");
  if (typeof parcels !== "object" || parcels === null) return {};
  const parcel = "tracking_number" in parcels ? parcels : listOf(parcels).at(-1);
  if (parcel === undefined) return {};
  const carrier = firstOf([scalarAt(parcel, "custom_tracking_provider"), scalarAt(parcel, "tracking_provider")]);
  return { tracking_number: scalarAt(parcel, "tracking_number"), tracking_carrier: carrier };
}

function customerOf(raw: JsonObject, isOrder: boolean, isPhone: IsPhone | undefined): JsonObject {
  const [billing, shipping] = [lookUp(raw, "billing"), lookUp(raw, "shipping")];
  const { phone, country } = phoneAndCountry(
    [billing, shipping].map((address: JsonValue | undefined) => ({
      phone: scalarAt(address, "phone"),
      country: scalarAt(address, "country"),
    })),
    isPhone,
  );
  return compact({
    ...namesOf(isOrder ? [billing, shipping] : [raw, billing, shipping]),
    email: firstOf([scalarAt(billing, "email"), scalar(lookUp(raw, "email"))]),
    phone,
    country,
  });
}
