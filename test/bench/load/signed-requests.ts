import type autocannon from "autocannon";
import { signBody } from "shared/secrets/signature";
import { orderBody } from "./order-body.ts";

/** Who posts: a site's key and secret. */
export interface Sender {
  key: string;
  secret: string;
}

/** How many orders the bodies are about. */
export const orders = 500;

/** A signed event of each order, `headers` added to the usual ones. Good for five minutes, as the timestamp is. */
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
