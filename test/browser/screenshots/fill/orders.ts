/** An order as the roastery's shop posts it. */
export interface Order {
  event: string;
  customer: { first_name: string; last_name: string; phone_e164: string; email: string };
  order: {
    id: string;
    number: string;
    status: string;
    total: string;
    currency: string;
    items: { name: string; qty: number; price: string }[];
    order_url_customer: string;
    tracking_number: string;
  };
}

const people = [
  ["Ada", "Lovelace", "+4915112345601"],
  ["Jonas", "Weber", "+4917612345602"],
  ["María José", "Fernández", "+34612345603"],
  ["Priya", "Raman", "+447700900104"],
  ["Chloé", "Dubois", "+33612345605"],
  // From here on nothing goes well: undeliverable, held back, blocked, too many.
  ["Tom", "Baker", "+15550101026"],
  ["Ines", "Costa", "+15550101049"],
  ["Karl", "Meier", "+15550100403"],
  ["Lena", "Novak", "+15550101056"],
] as const;

const goods = [
  { name: "Sumatra Mandheling 250 g", price: "12.90" },
  { name: "House espresso 1 kg", price: "29.50" },
  { name: "Filter papers", price: "4.20" },
  { name: "Gongfu tea set", price: "64.00" },
];

/** The n-th order of the shop: another person and other goods each time, and always the same for the same n. */
export function orderOf(n: number, event = "order.created"): Order {
  const [first, last, phone] = people[n % people.length] ?? people[0];
  const items = goods.slice(n % 3, (n % 3) + 1 + (n % 2)).map((good, index) => ({ ...good, qty: 1 + ((n + index) % 3) }));
  const total = items.reduce((sum, { price, qty }) => sum + Number(price) * qty, 0).toFixed(2);
  const number = String(10_042 + n);
  return {
    event,
    customer: { first_name: first, last_name: last, phone_e164: phone, email: `${first.toLowerCase().slice(0, 3)}@example.com` },
    order: {
      id: number,
      number,
      status: event === "order.shipped" ? "completed" : "processing",
      total,
      currency: "EUR",
      items,
      order_url_customer: `https://beanandleaf.example/orders/${number}`,
      tracking_number: `JD0146000${number}`,
    },
  };
}
