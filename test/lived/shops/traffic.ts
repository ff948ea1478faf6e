import type { LivedSite } from "./accounts.ts";

/** One request of a shop or of a customer's backend. */
export interface Delivery {
  readonly site: LivedSite;
  readonly door: "ingest" | "in";
  /** The event at the first door, the topic at the second. */
  readonly name: string;
  readonly body: string;
  /** The idempotency key, or the shop's own id of the delivery: a repeat has the same. */
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Numbered {
  /** The number of the event at its site; each has an order of its own. */
  n: number;
  phone: string;
}

/** How many of some hundred events are of a kind, and what they are. `isTwice`: the same request comes again. */
type Kind = readonly [share: number, name: string, payload: (numbered: Numbered) => object, how?: How];

type How = { headers?: Record<string, string>; isTwice?: boolean };

/** As many people as come back now and then; those with a magic number of the sandbox have a part to play. */
const people = 900;
const phoneOf = (n: number): string => `+4915${String(200_000_000 + ((n * 7_919) % people))}`;
/** Phones that are unread, silent, late, told twice, in doubt, refused, unreachable, that block the shop or stopped its marketing. */
const magic = ["8011", "8015", "8013", "8014", "8016", "8003", "1021", "1026", "1049", "0403", "1050", "1026"].map(
  (end) => `+1555010${end}`,
);
const names = ["Ada", "Jonas", "María José", "Priya", "Chloé", "Tom", "Inês", "Łukasz", "Zoë", "محمد"];
const goods = ["Sumatra 250 g", "House espresso 1 kg", "Filter papers", "Tea set"];

const person = ({ n, phone }: Numbered) => ({
  first_name: names[n % names.length],
  last_name: `Customer ${n % people}`,
  email: `customer.${n % people}@example.com`,
  phone,
});
const customer = (numbered: Numbered) => {
  const { phone, ...known } = person(numbered);
  return { ...known, ...(phone !== "" && { phone_e164: phone }) };
};

const order = (numbered: Numbered, changes: object = {}) => ({
  customer: customer(numbered),
  order: {
    id: `o-${numbered.n}`,
    number: String(10_000 + numbered.n),
    status: "processing",
    total: `${20 + (numbered.n % 60)}.50`,
    currency: "EUR",
    items: [{ name: goods[numbered.n % goods.length], qty: 1 + (numbered.n % 3), price: "12.90" }],
    order_url_customer: `https://shop.example/orders/${numbered.n}`,
    tracking_number: `JD${numbered.n}`,
    ...changes,
  },
});

/** A cart belongs to one person, who fills it, comes back and may order. */
const cartOf = (n: number): number => Math.floor(n / 25);
const cart = ({ n }: Numbered) => ({
  customer: customer({ n, phone: phoneOf(cartOf(n)) }),
  cart: { id: `c-${cartOf(n)}`, total: "40.00", currency: "EUR" },
});
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
const appointment = (days: number) => (numbered: Numbered) => ({
  customer: customer(numbered),
  data: { phone: numbered.phone, starts_at: inDays(days) },
});
const withoutPhone = (numbered: Numbered): Numbered => ({ ...numbered, phone: "" });
const magically = ({ n }: Numbered): Numbered => ({ n, phone: magic[n % magic.length] ?? "" });

/** What the backends of generic sites post. */
const ownKinds: readonly Kind[] = [
  [34, "order.created", (of) => order(of)],
  [12, "order.shipped", (of) => order({ ...of, n: of.n - 20 }, { status: "completed" })],
  [8, "payment.received", (of) => order({ ...of, n: of.n - 5 })],
  [8, "cart.updated", cart],
  [3, "order.created", (of) => ({ ...order(of), ...cart(of) })],
  [4, "order.cancelled", (of) => order(of, { total: "5.00" })],
  [2, "order.cancelled", (of) => order(of, { total: "500.00" })],
  [6, "appointment.booked", (of) => appointment(1 + (of.n % 5))(of)],
  [1, "appointment.booked", appointment(-2)],
  [3, "user.signup", (of) => ({ customer: customer(of) })],
  [1, "survey.asked", (of) => order(of)],
  [3, "loyalty.points", (of) => ({ customer: customer(of), data: { points: of.n } })],
  [3, "order.created", (of) => order(withoutPhone(of))],
  [1, "order.shipped", (of) => order(of, { tracking_number: null })],
  [8, "order.created", (of) => order(magically(of))],
  [2, "order.created", (of) => order(of), { headers: { "X-Service-Mode": "test" } }],
  [2, "order.created", (of) => ({ ...order(of), test: true })],
  [3, "order.created", (of) => order(of), { headers: { Prefer: "respond-async" } }],
  [2, "order.created", (of) => order(of), { isTwice: true }],
];

const gmt = (): string => new Date().toISOString().slice(0, 19);
const checkoutOf = ({ n }: Numbered): string => `checkout-${cartOf(n)}-${n % 8}`;
const shopifyOrder = (of: Numbered, changes: object = {}) => ({
  id: 5_000_000 + of.n,
  name: `#${1_000 + of.n}`,
  created_at: new Date().toISOString(),
  currency: "EUR",
  total_price: `${20 + (of.n % 60)}.50`,
  financial_status: "pending",
  checkout_token: checkoutOf(of),
  order_status_url: `https://atelier.example/orders/${of.n}`,
  customer: { id: 7_000_000 + (of.n % people), ...person(of) },
  line_items: [{ id: 1, title: goods[of.n % goods.length], quantity: 1, price: "20.50" }],
  ...changes,
});
const ofOrder = (of: Numbered) => ({
  id: 9_000_000 + of.n,
  order_id: 5_000_000 + of.n - 20,
  created_at: new Date().toISOString(),
  tracking_number: `JD${of.n}`,
});

const shopifyKinds: readonly Kind[] = [
  [37, "orders/create", (of) => shopifyOrder(of)],
  [12, "orders/paid", (of) => shopifyOrder({ ...of, n: of.n - 5 }, { financial_status: "paid" })],
  [12, "fulfillments/create", ofOrder],
  [
    4,
    "refunds/create",
    (of) => ({ ...ofOrder(of), transactions: [{ kind: "refund", status: "success", amount: "5.00", currency: "EUR" }] }),
  ],
  [5, "orders/cancelled", (of) => shopifyOrder(of, { cancelled_at: new Date().toISOString() })],
  [4, "customers/create", (of) => ({ id: 7_000_000 + of.n, ...person(of) })],
  [8, "checkouts/update", (of) => ({ token: checkoutOf(of), total_price: "40.00", currency: "EUR", customer: person(of) })],
  [6, "orders/create", (of) => shopifyOrder(withoutPhone(of))],
  [3, "orders/create", (of) => shopifyOrder({ ...of, phone: "call me" })],
  [6, "orders/create", (of) => shopifyOrder(magically(of))],
  [3, "products/update", ({ n }) => ({ id: n, title: "Tea set" })],
  [2, "orders/create", (of) => shopifyOrder(of), { isTwice: true }],
];

const wooOrder = (of: Numbered, status: string) => ({
  id: 700 + of.n,
  number: `2026-${of.n}`,
  status,
  currency: "EUR",
  total: `${20 + (of.n % 60)}.50`,
  date_created_gmt: gmt(),
  date_modified_gmt: gmt(),
  billing: { ...person(of), country: "DE" },
  line_items: [{ id: 1, name: goods[of.n % goods.length], quantity: 1, price: 20.5 }],
  meta_data:
    status === "completed"
      ? [{ key: "_wc_shipment_tracking_items", value: [{ tracking_number: `JD${of.n}`, tracking_provider: "DHL" }] }]
      : [],
});
const wooUpdate = (status: string) => (of: Numbered) => wooOrder({ ...of, n: of.n - 5 }, status);

const wooKinds: readonly Kind[] = [
  [38, "order.created", (of) => wooOrder(of, "pending")],
  [14, "order.updated", wooUpdate("processing")],
  [14, "order.updated", wooUpdate("completed")],
  [5, "order.updated", wooUpdate("cancelled")],
  [3, "order.updated", (of) => ({ ...wooUpdate("refunded")(of), refunds: [{ id: 800_000 + of.n, total: "-5.00" }] })],
  [4, "customer.created", (of) => ({ id: of.n, date_modified_gmt: gmt(), ...person(of), billing: { ...person(of), country: "DE" } })],
  [6, "order.created", (of) => wooOrder(withoutPhone(of), "pending")],
  [8, "order.created", (of) => wooOrder(magically(of), "pending")],
  [2, "product.updated", ({ n }) => ({ id: n, date_modified_gmt: gmt() })],
  [2, "order.created", (of) => wooOrder(of, "pending"), { isTwice: true }],
];

const kinds = { generic: ownKinds, shopify: shopifyKinds, woocommerce: wooKinds };
/** Every kind as often as its share says, well mixed. */
const mixes = Object.fromEntries(
  Object.entries(kinds).map(([type, all]) => {
    const slots = all.flatMap((kind) => Array.from({ length: kind[0] }, () => kind));
    return [type, slots.map((_, at) => slots[(at * 37) % slots.length] as Kind)];
  }),
);

/** The events of some sites until a part of the month is over, mixed. `counts` says how many each site has had before, and is kept up to date. */
export function* trafficOf(
  sites: readonly LivedSite[],
  counts: Record<string, number>,
  events: number,
  /** The accounts whose customers cannot be reached. */
  isBadDay: ReadonlySet<string> = new Set(),
): Generator<Delivery> {
  let streams = sites.map((site) => {
    const from = counts[site.id] ?? 0;
    const to = (counts[site.id] = from + Math.ceil((events * site.share) / 100));
    return eventsOf(site, from, to, isBadDay.has(site.accountId));
  });
  while (streams.length > 0) {
    const left: typeof streams = [];
    for (const stream of streams) {
      const next = stream.next();
      if (next.done === true) continue;
      yield next.value;
      left.push(stream);
    }
    streams = left;
  }
}

function* eventsOf(site: LivedSite, from: number, to: number, isBadDay: boolean): Generator<Delivery> {
  const mix = mixes[site.sourceType] ?? [];
  for (let n = from; n < to; n += 1) {
    const [, name, payload, { headers = {}, isTwice = false } = {}] = mix[n % mix.length] as Kind;
    const phone = isBadDay && n % 3 !== 0 ? "+15550101026" : phoneOf(n);
    const delivery = {
      site,
      door: site.sourceType === "generic" ? ("ingest" as const) : ("in" as const),
      name,
      body: JSON.stringify(payload({ n, phone })),
      id: `${site.id}-${n}`,
      headers,
    };
    yield delivery;
    if (isTwice) yield delivery;
  }
}

/** One order, or another event, of a generic site for a phone of its own. */
export const orderFor = (site: LivedSite, phone: string, n: number, name = "order.created"): Delivery => ({
  site,
  door: "ingest",
  name,
  body: JSON.stringify({ ...order({ n, phone }), ...(name === "appointment.booked" && appointment(4)({ n, phone })) }),
  id: `${site.id}-${name}-${n}`,
  headers: {},
});
