import type { JsonObject, JsonValue } from "../json.ts";
import { lookUp } from "../path.ts";
import {
  compact,
  firstOf,
  formOf,
  idsAsText,
  itemsOf,
  type IsPhone,
  listOf,
  namesOf,
  orNothing,
  phoneAndCountry,
  scalar,
  scalarAt,
  type Source,
  topicOf,
} from "./source.ts";

/** The most orders in one answer of WooCommerce. */
const pageSize = 100;

/** WooCommerce's webhooks in the form of its REST API. */
export const woocommerce: Source = {
  secret: "webhook_secret",
  normalizesPhones: true,
  signsBodyAlone: true,
  events: new Map([
    ["order.created", "order.created"],
    ["order.updated:processing", "payment.received"],
    ["order.updated:completed", "order.shipped"],
    ["order.updated:cancelled", "order.cancelled"],
    ["order.updated:refunded", "order.refunded"],
    ["order.updated:failed", "payment.failed"],
    ["customer.created", "user.signup"],
  ]),
  privacyTopics: new Map(),
  headers: { topics: ["x-wc-webhook-topic"], signatures: ["x-wc-webhook-signature"], shown: ["x-wc-webhook-delivery-id"] },
  ping: { contentType: "application/x-www-form-urlencoded", body: /^webhook_id=\d+$/ },

  orders: {
    pageSize,
    // WordPress takes a time without a zone literally.
    pagePath: (since, page) =>
      `wp-json/wc/v3/orders?modified_after=${since.toISOString().slice(0, 19)}&per_page=${pageSize}&page=${page}&dates_are_gmt=true&orderby=modified`,
    headersOf: (kind) => ({ "x-wc-webhook-topic": `order.${kind === "created" ? "created" : "updated"}` }),
    read(order) {
      const [id, status] = [scalarAt(order, "id"), scalarAt(order, "status")];
      if (id === undefined || (status !== undefined && drafts.has(status))) return null;
      const createdAt = new Date(`${scalarAt(order, "date_created_gmt")}Z`);
      return { id, status: status ?? null, createdAt: Number.isNaN(createdAt.getTime()) ? null : createdAt };
    },
  },

  proofOf(headers) {
    const signature = headers("x-wc-webhook-signature");
    return signature === null ? null : { scheme: "base64", signature };
  },

  deliveryOf(headers, body) {
    const topic = topicOf(headers("x-wc-webhook-topic"));
    if (topic === null) return null;
    const [id, written] = [scalarAt(body, "id"), scalarAt(body, "status")];
    const isUpdate = topic === "order.updated";
    const changed = scalarAt(body, "date_modified_gmt");
    return {
      topic,
      status: isUpdate && written !== undefined && /^[a-z0-9_-]{1,40}$/.test(written) ? written : null,
      // Each try has a delivery id of its own, so a repeat is recognized by its content.
      duplicateOf: id === undefined || changed === undefined ? null : [topic, id, written ?? "", changed],
      // A new order may come in a later state, if a fetch has brought it meanwhile.
      once: topic === "order.created" && id !== undefined ? [topic, id] : null,
      order: (isUpdate || topic === "order.created") && id !== undefined ? { id, needs: "status" } : null,
      isOver: false,
    };
  },

  fits(topic, body) {
    const form = formOf(body, marks);
    const resource = topic.slice(0, topic.indexOf("."));
    return form === undefined || !resources.has(resource) || form === resource;
  },

  payloadOf(body, known) {
    const raw = idsAsText(body);
    const isOrder = known.topic.startsWith("order.");
    return compact({
      customer: orNothing(customerOf(raw, isOrder, known.isPhone)),
      order: isOrder ? orderOf(raw) : undefined,
      site: { url: known.siteUrl },
      data: { raw },
    });
  },
};

/** Statuses of orders about which WooCommerce itself sends nothing. */
const drafts = new Set(["auto-draft", "checkout-draft", "draft", "trash"]);

/** Members of each form that the ones below it do not have. */
const marks = [
  ["order", "order_key", "line_items"],
  ["coupon", "discount_type"],
  ["customer", "username", "is_paying_customer", "role"],
  ["product", "sku", "stock_status"],
] as const;
const resources: ReadonlySet<string> = new Set(marks.map(([form]) => form));

function orderOf(raw: JsonObject): JsonObject {
  const status = scalarAt(raw, "status");
  return compact({
    id: scalarAt(raw, "id"),
    number: scalarAt(raw, "number"),
    status,
    total: scalarAt(raw, "total"),
    currency: scalarAt(raw, "currency"),
    ...itemsOf(lookUp(raw, "line_items"), (line) => ({
      name: lookUp(line, "name"),
      qty: lookUp(line, "quantity"),
      price: lookUp(line, "price"),
    })),
    // A guest can open only this address of an order; a paid order cannot be paid again.
    order_url_customer: status === "pending" || status === "failed" ? scalarAt(raw, "payment_url") : undefined,
    ...trackingOf(raw),
  });
}

/** WooCommerce has no parcels itself: the common plugins keep theirs in this field of the order. */
const parcelsKey = "_wc_shipment_tracking_items";

function trackingOf(raw: JsonObject): { tracking_number?: string | undefined; tracking_carrier?: string | undefined } {
  const field = listOf(lookUp(raw, "meta_data")).findLast((one) => lookUp(one, "key") === parcelsKey);
  const parcel = field === undefined ? undefined : listOf(lookUp(field, "value")).at(-1);
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
