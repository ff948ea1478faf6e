import { hash } from "node:crypto";
import { isTestEvent } from "shared/core/event";
import { type JsonObject, parseJson, printJson } from "shared/core/json";
import type { Delivery, HeaderReader, IsPhone, Proof } from "shared/core/sources/source";
import { eventOf, headerReader, isPing, topicKey } from "shared/core/sources/sources";
import { findOrderPayload, findOrderState, type OrderState } from "shared/db/event/known-order";
import { orderId } from "shared/db/ids";
import { withTimeout } from "shared/db/transaction";
import { normalizePhone } from "shared/normalize-phone";
import { readValue } from "shared/secrets/row-codec";
import type { GatewayContext } from "../context.ts";
import { type AuthenticEvent, isFreshAt, isKey, readObject } from "../ingest/authenticate.ts";
import type { ShopRequest } from "../ingest/event.ts";
import { RequestRefused } from "../refusal.ts";
import type { Admission } from "../sites/admission.ts";
import { type Needed, neededAtDoor, neededOfId } from "../sites/doors.ts";
import type { Notes } from "../sites/notes.ts";
import { matchSigner, type SiteConfig } from "../sites/sites.ts";

/** The meaning of a request. */
export type Reading =
  | { kind: "ping" }
  /** A request of data protection law. Its repeats have the same `key`, which is made of the signed parts alone. */
  | { kind: "privacy"; topic: string; body: JsonObject; key: string; needs?: Needed }
  /** The request means no event; `status` is set when an order's status is to be remembered. */
  | { kind: "ignored"; topic: string; status: OrderStatus | null; needs?: Needed }
  /** The request would mean this event, if the order had not had that status before. */
  | { kind: "repeat"; event: AuthenticEvent }
  | { kind: "event"; event: AuthenticEvent };

export interface OrderStatus {
  orderId: string;
  status: string;
}

/** Checks a request in the documented order: ping, signature, enabled, rate limit, content. It changes nothing. */
export type ReadRequest = (site: SiteConfig, request: ShopRequest) => Promise<Reading>;

export function createReadRequest(readDelivery: ReadDelivery, admitted: Admission, notes: Pick<Notes, "used" | "proven">): ReadRequest {
  return async (site, request) => {
    const headers = headerReader(request.headers);
    const bytes = await request.readBody();
    if (isPing(site.inbound.source, headers, bytes)) return { kind: "ping" };
    const proof = prove(site, request, { headers, bytes, notes });
    await notes.proven(site, request, request.receivedAt);
    if (!site.enabled) throw new RequestRefused("site_disabled");
    if (site.rateLimitPerSecond !== null && !(await admitted(site.id, site.rateLimitPerSecond, request))) {
      throw new RequestRefused("rate_limited");
    }
    const { text, payload: body } = readObject(bytes);
    const reading = await readDelivery(site, { headers, body, text, receivedAt: request.receivedAt, isFetched: false });
    const needs = neededAtDoor(site, proof, "inbound");
    if (needs === undefined) return reading;
    return "event" in reading ? { ...reading, event: { ...reading.event, needs } } : { ...reading, needs };
  };
}

/** A shop's data: from a request that is proven, or from its answer when we ask. */
export interface Delivered {
  headers: HeaderReader;
  body: JsonObject;
  /** The body's text. */
  text: string;
  receivedAt: Date;
  /** True for the shop's answer to our question: later requests that tell the same are repeats. */
  isFetched: boolean;
}

/** Tells what a delivery means. It changes nothing. @throws RequestRefused where the shop does not say */
export type ReadDelivery = (site: SiteConfig, delivered: Delivered) => Promise<Reading>;

export function createReadDelivery({ sql, config }: Pick<GatewayContext, "sql" | "config">): ReadDelivery {
  const { statementMs } = config.timeLimits;

  const stateOf = ({ id: siteId }: SiteConfig, order: string, onceKey: string | null): Promise<OrderState> =>
    withTimeout(findOrderState(sql, siteId, order, onceKey), statementMs);
  const storedOrderOf = async ({ id: siteId, rows }: SiteConfig, order: string): Promise<JsonObject | null> => {
    const stored = await withTimeout(findOrderPayload(sql, siteId, order), statementMs);
    const text = stored === undefined ? null : readValue(rows, stored.payload, "event_payload.payload", stored.id, null);
    return text === null ? null : (parseJson(text) as JsonObject);
  };

  return async (site, delivered) => {
    const { source, topicMap } = site.inbound;
    const { headers, body, text, isFetched } = delivered;
    const delivery = source.deliveryOf(headers, body);
    if (delivery === null) throw new RequestRefused(source.events === null ? "invalid_event_name" : "missing_topic");
    if (!source.fits(delivery.topic, body)) throw new RequestRefused("unexpected_body");
    if (source.privacyTopics.has(delivery.topic)) {
      return { kind: "privacy", topic: delivery.topic, body, key: keyOf([delivery.topic, text]) };
    }

    const meant = eventOf(source, delivery, { topicMap, lastStatus: null });
    const order = delivery.order && orderId(site.id, { kind: "id", value: delivery.order.id });
    const onceKey = delivery.once && keyOf(delivery.once);
    const state = order !== null && delivery.order?.needs === "status" ? await stateOf(site, order, onceKey) : null;
    const lastStatus = order && readValue(site.rows, state?.status ?? null, "customer_order.status", order, null);
    if (meant === null) {
      const isNew = order !== null && delivery.status !== null && delivery.status !== lastStatus;
      return { kind: "ignored", topic: topicKey(delivery), status: isNew ? { orderId: order, status: delivery.status ?? "" } : null };
    }
    const storedOrder = order !== null && delivery.order?.needs === "payload" ? await storedOrderOf(site, order) : null;
    const isPhone: IsPhone = (phone, country) => "phone" in normalizePhone(phone, { country, siteCountry: site.country });
    const payload = source.payloadOf(body, { topic: delivery.topic, siteUrl: site.inbound.url, storedOrder, isPhone });
    const event = {
      ...toEvent(site, delivered, delivery, { name: meant, payload, text: payload === body ? text : printJson(payload) }),
      ...((delivery.status !== null || onceKey !== null) && { statusBefore: state?.status ?? "" }),
      ...(isFetched && onceKey !== null && { alsoKey: onceKey }),
    };
    if (state?.told === true) return { kind: "repeat", event: { ...event, idempotencyKey: onceKey } };
    return { kind: delivery.status !== null && delivery.status === lastStatus ? "repeat" : "event", event };
  };
}

interface Signed {
  headers: HeaderReader;
  bytes: Buffer;
  notes: Pick<Notes, "used">;
}

function prove(site: SiteConfig, { receivedAt }: ShopRequest, { headers, bytes, notes }: Signed): Proof {
  if (!site.readable) throw new RequestRefused("secret_unreadable");
  const proof = site.inbound.source.proofOf(headers);
  const signer = proof === null ? undefined : matchSigner(site.secrets.ofShop, bytes, proof, receivedAt);
  if (proof === null || signer === undefined) throw new RequestRefused("invalid_signature");
  notes.used([signer], receivedAt);
  if (proof.scheme === "standard" && !isFreshAt(proof.timestamp, receivedAt)) throw new RequestRefused("stale_timestamp");
  return proof;
}

/** A repeated request of a shop is recognized for so long. */
export const repeatSeconds = 48 * 3600;

/** The key has one length, however long the shop's texts are. */
const keyOf = (texts: readonly string[]): string => `shop:${hash("sha256", JSON.stringify(texts), "base64url")}`;

function toEvent(
  site: SiteConfig,
  { receivedAt }: Delivered,
  delivery: Delivery,
  { name, payload, text }: Pick<AuthenticEvent, "name" | "payload" | "text">,
): AuthenticEvent {
  const { duplicateOf } = delivery;
  const key = duplicateOf && keyOf(duplicateOf);
  // An id that the sender has signed is the same at the site's own path.
  const signedId = site.inbound.source.signsBodyAlone ? undefined : duplicateOf?.find(isKey);
  return {
    site,
    source: site.inbound.sourceType,
    topic: topicKey(delivery),
    name,
    payload,
    text,
    test: isTestEvent(name, payload),
    dryRun: false,
    queued: true,
    idempotencyKey: signedId ?? key,
    isSignedId: signedId !== undefined,
    ...(signedId !== undefined && key !== null && { needs: neededOfId(key) }),
    idUntil: duplicateOf && Math.floor(receivedAt.getTime() / 1000) + repeatSeconds,
  };
}
