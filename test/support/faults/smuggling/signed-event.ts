import { signBody } from "shared/secrets/signature";
import type { Shop } from "../../gateway/shop.ts";

/** A signed event in parts, so that a test can frame its body as it likes. */
export interface SignedEvent {
  /** Request line and headers without any that frame the body, each with its line's end. */
  head: string;
  body: string;
  /** The whole request as every client sends it. */
  whole: string;
}

/** `key` marks it: it is the idempotency key, and the order's number. */
export function signedEvent(shop: Shop, key: string): SignedEvent {
  const body = JSON.stringify({ customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: key } });
  const lines = [
    "POST /api/public/ingest/generic/order.created HTTP/1.1",
    "Host: gateway",
    "Content-Type: application/json",
    `X-Service-Site-Key: ${shop.key}`,
    `X-Service-Signature: ${signBody(shop.secret, Buffer.from(body))}`,
    `X-Service-Idempotency-Key: ${key}`,
  ];
  const head = lines.map((line) => `${line}\r\n`).join("");
  return { head, body, whole: `${head}Content-Length: ${body.length}\r\n\r\n${body}` };
}
