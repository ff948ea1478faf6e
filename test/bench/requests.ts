import type autocannon from "autocannon";
import { signBody } from "shared/secrets/signature";

/** The sender of events: a site's key and secret. */
export interface Sender {
  key: string;
  secret: string;
}

/** The number of different orders in the bodies. */
export const orders = 500;

/** Signed events, one for each order, with `headers` beside the usual ones. They are valid for five minutes, like their timestamp. */
export function signedRequests({ key, secret }: Sender, headers: Record<string, string> = {}): autocannon.Request[] {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return Array.from({ length: orders }, (_, i) => {
    const body = orderBody(10_000 + i);
    return {
      method: "POST",
      path: "/api/public/ingest/generic/order.created",
      headers: {
        "content-type": "application/json",
        "x-service-site-key": key,
        "x-service-signature": signBody(secret, Buffer.from(body)),
        "x-service-timestamp": timestamp,
        ...headers,
      },
      body,
    };
  });
}

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
