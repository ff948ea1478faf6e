import type { Conditions } from "../conditions.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { SourceType } from "../site.ts";
import { type GalleryName, type OtherValues, gallery, galleryNames } from "./entries.ts";

/** A binding that can be taken over unchanged: a template of the gallery for an event, to the customer. */
export interface ReadyBinding {
  template: GalleryName;
  event: string;
  /** A plain sentence on when it is sent. */
  when: string;
  /** True if most shops send it. */
  isUsual: boolean;
  conditions: Conditions | null;
  schedule: Schedule | null;
  /** The places of values that the shop system keeps elsewhere than our conventions say. */
  values: OtherValues;
}

type Options = Partial<Pick<ReadyBinding, "isUsual" | "conditions" | "schedule" | "values">>;

const ready = (event: string, template: GalleryName, when: string, options: Options = {}): ReadyBinding => ({
  template,
  event,
  when,
  isUsual: false,
  conditions: null,
  schedule: null,
  values: {},
  ...options,
});

const usual: typeof ready = (event, template, when, options) => ready(event, template, when, { ...options, isUsual: true });

const where = (...rules: Conditions["rules"]): Conditions => ({ match: "all", rules });
const has = (path: string) => ({ path, op: "exists" as const });
const lacks = (path: string) => ({ path, op: "missing" as const });

const hour = 3_600;
const day = 24 * hour;
/** Who pays on delivery is not to be asked for it before: WooCommerce's way of payment, and Shopify's. */
const notOnDelivery: Conditions["rules"] = [
  { path: "data.raw.payment_method", op: "neq", value: "cod" },
  { path: "data.raw.payment_gateway_names", op: "not_contains", value: "Cash on Delivery (COD)" },
];
/** Hours at which messages disturb nobody. */
const daytime = { days: [1, 2, 3, 4, 5, 6, 7], from: "10:00", to: "20:00" };

const ofOrders = [
  usual("order.created", "order_confirmed", "When an order is placed."),
  ready("payment.received", "payment_received", "When an order is paid."),
  ready("order.created", "payment_reminder", "A day after an order that has not been paid by then.", {
    conditions: where({ path: "order.status", op: "eq", value: "pending" }, has("order.order_url_customer"), ...notOnDelivery),
    schedule: {
      delaySeconds: day,
      window: daytime,
      cancelOn: { events: ["payment.received", "order.shipped", "order.cancelled", "order.refunded"], by: "order.id" },
    },
  }),
  usual("order.shipped", "order_shipped_tracking", "When an order is shipped with a tracking number.", {
    conditions: where(has("order.tracking_number")),
  }),
  usual("order.shipped", "order_shipped", "When an order is shipped without a tracking number.", {
    // Gift cards, downloads and what is picked up are not on their way.
    conditions: where(lacks("order.tracking_number"), { path: "order.requires_shipping", op: "neq", value: false }),
  }),
  usual("order.cancelled", "order_cancelled", "When an order is cancelled."),
];

const paymentFailed = usual("payment.failed", "payment_failed", "When a payment fails, with the link to pay.", {
  conditions: where(has("order.order_url_customer")),
});

const refunded = usual("order.refunded", "order_partly_refunded", "When an amount is refunded, with the amount.", {
  conditions: where(has("data.refund.amount")),
  values: { refundAmount: { source: "field", path: "data.refund.amount" }, currency: { source: "field", path: "data.refund.currency" } },
});

const ofShopify = [
  refunded,
  // In several currencies, of which no single amount is right.
  usual("order.refunded", "order_refunded", "When money goes back in several ways, without the amounts.", {
    conditions: where(lacks("data.refund.amount")),
  }),
  ready("cart.updated", "abandoned_cart", "An hour after a cart was left, unless it becomes an order.", {
    conditions: where(has("cart.recovery_url")),
    schedule: {
      delaySeconds: hour,
      window: daytime,
      restartBy: "cart.id",
      cancelOn: { events: ["order.created"], by: "cart.id" },
      throttle: { max: 1, seconds: day },
      expiresSeconds: day,
    },
  }),
];

const afterwards = [
  ready("order.shipped", "review_request", "A week after the shipment, unless the order is cancelled or refunded.", {
    schedule: {
      delaySeconds: 7 * day,
      window: daytime,
      cancelOn: { events: ["order.cancelled", "order.refunded"], by: "order.id" },
      throttle: { max: 1, seconds: 30 * day },
    },
  }),
  ready("user.signup", "welcome", "When somebody opens an account."),
];

const reminderOf = (event: string) =>
  ready(event, "appointment_reminder", "A day before the appointment.", {
    schedule: {
      dueAt: { path: "data.appointment_at", offsetSeconds: -day, ifPast: "skip" },
      restartBy: "data.appointment_id",
      cancelOn: { events: ["appointment.changed", "appointment.cancelled"].filter((other) => other !== event), by: "data.appointment_id" },
    },
  });

/** Bindings for a program of one's own, which may post any event: none is usual, and all are offered. */
const ofPrograms = [
  ...ofOrders,
  paymentFailed,
  ready("order.refunded", "order_partly_refunded", "When an amount is refunded, with the amount.", {
    conditions: where(has("data.refund_amount")),
  }),
  ready("order.refunded", "order_refunded", "When an order is refunded.", { conditions: where(lacks("data.refund_amount")) }),
  reminderOf("appointment.booked"),
  reminderOf("appointment.changed"),
  ...afterwards,
];
const others = galleryNames.filter((name) => !ofPrograms.some(({ template }) => template === name));

/** The ready bindings for each kind of source. */
export const readyBindings: Readonly<Record<SourceType, readonly ReadyBinding[]>> = {
  shopify: [...ofOrders, ...ofShopify, ...afterwards],
  woocommerce: [...ofOrders, paymentFailed, refunded, ...afterwards],
  generic: [...ofPrograms, ...others.map((name) => ready(gallery[name].events.at(-1) ?? "", name, "As soon as the event arrives."))].map(
    (binding) => ({ ...binding, isUsual: false }),
  ),
};
