import type { UncheckedTemplate } from "../template/draft.ts";
import type { VarSpec, VariableMap } from "../variables.ts";
import allLanguages from "./languages.json" with { type: "json" };
import allTexts from "./texts.json" with { type: "json" };

/** The gallery's languages, by the platform's codes. */
export const galleryLanguages = ["en", "de", "es", "fr", "it", "pt_BR", "tr", "ar"] as const;
export type GalleryLanguage = (typeof galleryLanguages)[number];

/** A template's texts. The header stands above the body and has no variables. */
export type GalleryTexts = Record<GalleryLanguage, { header: string; body: string }>;

export interface GalleryEntry {
  /** The title for the operator, in the dashboard's language. */
  title: string;
  category: "UTILITY" | "MARKETING";
  /** The events that the template fits. */
  events: readonly [string, ...string[]];
  /** The meanings of the body's variables, in the order of their numbers. */
  variables: readonly GalleryVariable[];
}

const utility = (title: string, events: GalleryEntry["events"], ...variables: GalleryVariable[]): GalleryEntry => ({
  title,
  category: "UTILITY",
  events,
  variables,
});
const marketing = (...args: Parameters<typeof utility>): GalleryEntry => ({ ...utility(...args), category: "MARKETING" });

const appointment = ["name", "service", "appointmentDate", "appointmentTime"] as const;

/** Messages that shops and practices send, ready to be submitted. One-time codes are not among them: the platform has a fixed text for those, made in its own manager. */
export const gallery = {
  order_confirmed: utility("Order confirmed", ["order.created"], "name", "order", "total"),
  payment_received: utility("Payment received", ["payment.received"], "name", "total", "order"),
  payment_failed: utility("Payment failed", ["payment.failed"], "name", "order", "orderLink"),
  payment_reminder: utility("Payment reminder", ["order.created"], "name", "order", "total", "orderLink"),
  order_shipped: utility("Order shipped", ["order.shipped"], "name", "order"),
  order_shipped_tracking: utility("Order shipped, with tracking", ["order.shipped"], "name", "order", "carrier", "tracking"),
  order_delayed: utility("Order delayed", ["order.delayed"], "name", "order", "deliveryDate"),
  out_for_delivery: utility("Out for delivery", ["order.out_for_delivery"], "name", "order"),
  order_delivered: utility("Order delivered", ["order.delivered"], "name", "order"),
  pickup_ready: utility("Ready for pickup", ["order.ready_for_pickup"], "name", "order", "pickupPlace"),
  order_cancelled: utility("Order cancelled", ["order.cancelled"], "name", "order"),
  order_refunded: utility("Order refunded", ["order.refunded"], "name", "order"),
  order_partly_refunded: utility("Order partly refunded", ["order.refunded"], "name", "refundAmount", "currency", "order"),
  return_received: utility("Return received", ["order.return_received"], "name", "order"),
  invoice_ready: utility("Invoice ready", ["invoice.ready"], "name", "invoiceNumber", "invoiceLink"),
  subscription_renewal: utility("Subscription renewal", ["subscription.renewal"], "name", "plan", "renewalDate", "renewalAmount"),
  appointment_booked: utility("Appointment booked", ["appointment.booked"], ...appointment),
  appointment_reminder: utility(
    "Appointment reminder",
    ["appointment.reminder", "appointment.booked", "appointment.changed"],
    ...appointment,
  ),
  appointment_changed: utility("Appointment changed", ["appointment.changed"], ...appointment),
  appointment_cancelled: utility("Appointment cancelled", ["appointment.cancelled"], ...appointment),
  abandoned_cart: marketing("Abandoned cart", ["cart.updated", "cart.abandoned"], "name", "cartLink"),
  back_in_stock: marketing("Back in stock", ["product.back_in_stock"], "name", "product", "productLink"),
  review_request: marketing("Review request", ["order.shipped", "order.delivered"], "name", "order"),
  welcome: marketing("Welcome", ["user.signup"], "name"),
} satisfies Record<string, GalleryEntry>;

export type GalleryName = keyof typeof gallery;

const field = (path: string): VarSpec => ({ source: "field", path });

/** Where each variable's value stands in events by our conventions, with an example. */
export const galleryVariables = {
  name: { spec: field("customer.first_name"), example: "Ada" },
  order: { spec: field("order.number"), example: "10042" },
  total: { spec: { source: "expression", expr: "total.with_currency" }, example: "EUR 49.90" },
  orderLink: { spec: field("order.order_url_customer"), example: "https://shop.example/pay/10042" },
  carrier: { spec: field("order.tracking_carrier"), example: "DHL" },
  tracking: { spec: field("order.tracking_number"), example: "00340434161094022115" },
  cartLink: { spec: field("cart.recovery_url"), example: "https://shop.example/cart/7f3a" },
  refundAmount: { spec: field("data.refund_amount"), example: "19.95" },
  currency: { spec: field("order.currency"), example: "EUR" },
  deliveryDate: { spec: field("data.delivery_date"), example: "18 March" },
  pickupPlace: { spec: field("data.pickup_place"), example: "12 Market Street" },
  invoiceNumber: { spec: field("data.invoice_number"), example: "2026-0317" },
  invoiceLink: { spec: field("data.invoice_url"), example: "https://shop.example/invoices/2026-0317" },
  plan: { spec: field("data.plan"), example: "Coffee box" },
  renewalDate: { spec: field("data.renewal_date"), example: "1 April" },
  renewalAmount: { spec: field("data.renewal_amount"), example: "EUR 24.00" },
  service: { spec: field("data.service"), example: "Dental check-up" },
  appointmentDate: { spec: field("data.appointment_date"), example: "18 March" },
  appointmentTime: { spec: field("data.appointment_time"), example: "09:30" },
  product: { spec: field("data.product_name"), example: "Blue teapot" },
  productLink: { spec: field("data.product_url"), example: "https://shop.example/blue-teapot" },
} satisfies Record<string, { spec: VarSpec; example: string }>;

export type GalleryVariable = keyof typeof galleryVariables;

export const galleryNames = Object.keys(gallery) as GalleryName[];

const texts: Record<GalleryName, GalleryTexts> = allTexts;

/** The template in the form that `templates.create` takes. */
export function galleryTemplate(name: GalleryName, language: GalleryLanguage) {
  const { category, variables: used }: GalleryEntry = gallery[name];
  const { examples, stop } = languages[language];
  const { header, body } = texts[name][language];
  return {
    name,
    language,
    category,
    header: { format: "TEXT", text: header },
    body,
    buttons: category === "MARKETING" ? [{ type: "QUICK_REPLY", text: stop }] : [],
    examples: { body: used.map((variable) => examples[variable] ?? galleryVariables[variable].example) },
  } satisfies UncheckedTemplate;
}

/** The places of values that a shop system keeps elsewhere than the conventions say. */
export type OtherValues = Partial<Record<GalleryVariable, VarSpec>>;

/** The map that fills the template from its event. */
export function galleryMap(name: GalleryName, language: GalleryLanguage, others: OtherValues = {}): VariableMap {
  const { noName, noCarrier } = languages[language];
  const fallbacks: Partial<Record<GalleryVariable, string>> = { name: noName, carrier: noCarrier };
  const used: readonly GalleryVariable[] = gallery[name].variables;
  const specs = used.map((variable, index) => {
    const spec: VarSpec = others[variable] ?? galleryVariables[variable].spec;
    const fallback = fallbacks[variable];
    return [String(index + 1), fallback === undefined ? spec : { ...spec, fallback }];
  });
  return { body: Object.fromEntries(specs) as VariableMap["body"] };
}

/** The gallery's language for a locale such as `pt-BR` or `de-AT`; null when it has none. */
export function nearestLanguage(locale: string): GalleryLanguage | null {
  const [spoken = ""] = locale.toLowerCase().split(/[-_]/);
  return galleryLanguages.find((language) => language.split("_")[0] === spoken) ?? null;
}

/** The texts that templates of one language have in common. */
interface LanguageTexts {
  /** The word in a greeting if the event has no first name. */
  noName: string;
  /** The words if the event does not name the carrier. */
  noCarrier: string;
  /** The button of marketing messages, with one of the words that stop them. */
  stop: string;
  /** Examples of a language in which the common ones would sound foreign. */
  examples: Partial<Record<GalleryVariable, string>>;
}

const languages: Record<GalleryLanguage, LanguageTexts> = allLanguages;
