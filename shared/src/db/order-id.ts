import { hash } from "node:crypto";
import type { OrderReference } from "../core/event/order-reference.ts";

/**
 * The id of a site's order, which follows from how payloads name it, so that an event knows its order's id without asking for it: SHA-256 of the
 * site's id and of the reference (itself hashed: it may be of any length), dressed as a UUID of version 8.
 */
export function orderId(siteId: string, { kind, value }: OrderReference): string {
  const reference = hash("sha256", `${kind}:${value}`, "buffer");
  const hex = hash("sha256", Buffer.concat([Buffer.from(siteId), reference]));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
