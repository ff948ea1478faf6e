/** The body of an event of about 1.2 KB; the number makes the order and its customer. */
export function orderBody(number: number | string): string {
  const items = Array.from({ length: 8 }, (_, n) => ({
    name: `Article number ${n} of the shop's spring collection`,
    qty: n + 1,
    price: "19.90",
  }));
  return JSON.stringify({
    event: "order.created",
    site: { name: "Bench shop", url: "https://shop.example" },
    customer: { first_name: "Ada", last_name: "Lovelace", email: "ada@shop.example", phone_e164: `+155501${number}` },
    order: {
      id: String(number),
      number: `#${number}`,
      status: "processing",
      total: "199.00",
      currency: "USD",
      items_count: 8,
      items,
    },
  });
}
