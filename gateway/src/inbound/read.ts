import { hash } from "node:crypto";
import { decodeHTMLStrict } from "entities/decode";
import { isTestEvent } from "shared/core/event";
import { type JsonObject, lookUp, parseAsWritten, parseJson, printJson } from "shared/core/json";
import { decide, type Decision, type Mark, noHistory, printHistory, readHistory } from "shared/core/sources/history";
import type { Delivery, HeaderReader, IsPhone, Proof } from "shared/core/sources/source";
import { eventOfTopic, headerReader, isPing, topicKey } from "shared/core/sources/sources";
import { findKnown, findOrderPayload, type HistoryChange } from "shared/db/event/known-order";
import { orderId } from "shared/db/ids";
import { normalizePhone } from "shared/normalize-phone";
import { waitingKeys } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import { isSignedWithNothing } from "shared/secrets/signature";
import { type GatewayContext, inTime } from "../context.ts";
import { type AuthenticEvent, isFreshAt, isKey, type ShopRequest } from "../ingest/authenticate.ts";
import type { ReadObject } from "../ingest/body.ts";
import { RequestRefused } from "../refusal.ts";
import type { Notes } from "../sites/notes.ts";
import { matchSigner, type SiteConfig, type SiteDirectory, type Needed, neededAtDoor, neededOfId } from "../sites/sites.ts";

/** The meaning of a request. */
export type Reading =
  | { kind: "ping" }
  /** A request of data protection law. Its repeats have the same `key`, which is made of the signed parts alone. */
  | { kind: "privacy"; topic: string; body: JsonObject; key: string; needs?: Needed }
  /** The request means no event; `change` is what is to be remembered of it, `cancels` are the keys of messages that wait for what it shows not to happen. */
  | { kind: "ignored"; topic: string; change: HistoryChange | null; cancels: readonly string[]; needs?: Needed }
  /** An event has this event's key. */
  | { kind: "repeat"; event: AuthenticEvent }
  | { kind: "event"; event: AuthenticEvent };

/** Checks a request in the documented order: ping, signature, enabled, rate limit, content. Null: the site's first valid request was noted just now, so this copy is outdated. */
export type ReadRequest = (site: SiteConfig, request: ShopRequest) => Promise<Reading | null>;

export const createReadRequest =
  (
    readDelivery: ReadDelivery,
    sites: Pick<SiteDirectory, "admits">,
    notes: Pick<Notes, "used" | "proven">,
    readObject: ReadObject,
  ): ReadRequest =>
  async (site, request) => {
    const headers = headerReader(request.headers);
    const bytes = await request.readBody();
    if (isPing(site.inbound.source, headers, bytes)) return { kind: "ping" };
    const { receivedAt } = request;
    const { proof, signer } = prove(site, request, bytes);
    notes.used([signer], receivedAt);
    if (proof.scheme === "standard" && !isFreshAt(proof.timestamp, receivedAt)) throw new RequestRefused("stale_timestamp");
    if (await notes.proven(site, request, receivedAt)) return null;
    if (!site.enabled) throw new RequestRefused("site_disabled");
    if (site.rateLimitPerSecond !== null && !(await sites.admits(site, request))) throw new RequestRefused("rate_limited");
    const { text, payload: body } = await readObject(
      site.accountId,
      bytes,
      site.inbound.source.events === null ? parseJson : parseAsWritten,
    );
    const reading = await readDelivery(site, { headers, body, text, receivedAt, isFetched: false });
    const needs = neededAtDoor(site, proof, "inbound");
    if (needs === undefined) return reading;
    return "event" in reading ? { ...reading, event: { ...reading.event, needs } } : { ...reading, needs };
  };

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

export function createReadDelivery(context: GatewayContext): ReadDelivery {
  const ask = createAskKnown(context);
  const cancelKeysOf = (site: SiteConfig, shown: readonly string[], payloadOf: () => JsonObject): string[] => {
    const rules = shown.flatMap((name) => site.cancelRules.get(name) ?? []);
    const payload = rules.length === 0 ? {} : payloadOf();
    const keyOf = waitingKeys(context.vault, isTestEvent("", payload));
    return [...new Set(rules)].flatMap(({ bindingId, keyOf: valueOf }) => keyOf("cancel", bindingId, valueOf(payload)) ?? []);
  };
  return async (site, delivered) => {
    const { source, topicMap } = site.inbound;
    const { headers, body, text } = delivered;
    const delivery = source.deliveryOf(headers, body);
    if (delivery === null) throw new RequestRefused(source.events === null ? "invalid_event_name" : "missing_topic");
    const { topic, isNothing, news, about, endedBy } = delivery;
    if (!source.fits(topic, body)) throw new RequestRefused("unexpected_body");
    if (source.privacyTopics.has(topic)) return { kind: "privacy", topic, body, key: keyOf([topic, text]) };
    const shown = delivery.shows.flatMap((key) => eventOfTopic(source, topicMap, key) ?? []);
    const ignored = (change: HistoryChange | null): Reading => {
      const cancels = cancelKeysOf(site, shown, () => source.payloadOf(body, { topic, siteUrl: "", storedOrder: null }));
      return { kind: "ignored", topic: topicKey(delivery), change, cancels };
    };
    const isMeant = news.some(({ key }) => eventOfTopic(source, topicMap, key) !== null);
    if (isNothing || (!isMeant && about === null)) return ignored(null);

    const known = await ask.known(site, delivery, delivered);
    // A state of an order may tell several things, one with each request: when it is fetched, the others follow.
    const isFurther = delivered.isFetched && about !== null;
    if (known.key !== null && !isFurther) return { kind: "repeat", event: toEvent(site, delivered, delivery, [known.key], body) };
    if (endedBy !== null && known.status === endedBy) return ignored(null);
    const dated = isAhead(delivery.changedAt, delivered.receivedAt) ? { ...delivery, changedAt: null } : delivery;
    const decision = decide(source, dated, { topicMap, history: known.history, mark: known.mark, isFetched: delivered.isFetched });
    const change = changeOf(site, delivery, known, decision);
    const { tells, more } = decision;
    if (tells === null) return ignored(change);
    const storedOrder = delivery.order?.needs === "payload" ? await ask.payload(site, delivery.order.id) : null;
    const isPhone: IsPhone = (phone, country) => "phone" in normalizePhone(phone, { country, siteCountry: site.country });
    const facts = { topic, siteUrl: site.inbound.url, storedOrder, refund: tells.news.refund ?? null };
    const payload = source.payloadOf(body, { ...facts, isPhone, decode: decodeHTMLStrict });
    const keys = known.key === null ? known.keys : [keyOf([known.key, tells.news.key, tells.news.once ?? ""])];
    const event = toEvent(site, delivered, delivery, keys, payload, tells);
    return { kind: "event", event: { ...event, shown, ...(change !== null && { history: change }), ...(more && { hasMore: true }) } };
  };
}

const mostAheadMs = 5 * 60_000;

/** Whether a shop dates a change ahead of our clock by more than clocks differ: then the date says nothing, or all that follows would be older. */
const isAhead = (changedAt: string | null, now: Date): boolean =>
  changedAt !== null && Date.parse(`${changedAt}Z`) > now.getTime() + mostAheadMs;

/** Makes the marks of a thing: keyed digests, which are the same at every gateway. */
export const markOf =
  (vault: GatewayContext["vault"], thing: string): Mark =>
  (text) =>
    vault.fingerprint(`told ${thing} ${text}`).slice(0, 16);

/** What is known before a delivery. */
type Known = Awaited<ReturnType<ReturnType<typeof createAskKnown>["known"]>>;

/** Nothing is asked of the database for a delivery that has no history, and one key at most: storing the event checks that. */
function createAskKnown(context: GatewayContext) {
  const { sql, vault } = context;
  const payload = async ({ id: siteId, rows }: SiteConfig, order: string): Promise<JsonObject | null> => {
    const rowId = orderId(siteId, { kind: "id", value: order });
    const stored = await inTime(context, findOrderPayload(sql, siteId, rowId));
    const text = stored === undefined ? null : readValue(rows, stored.payload, "event_payload.payload", stored.id, null);
    return text === null ? null : (parseJson(text) as JsonObject);
  };
  /** Orders of which no history is kept were told of before there was any; an order that another program has posted was not. */
  const former = async (site: SiteConfig, id: string, status: string, body: JsonObject): Promise<string[] | null> => {
    const { orders } = site.inbound.source;
    const last = await payload(site, id);
    const raw = last === null ? body : lookUp(last, "data.raw");
    if (orders === null || typeof raw !== "object" || raw === null || Array.isArray(raw)) return null;
    return orders.told({ ...raw, status });
  };

  const known = async (site: SiteConfig, { about, order, duplicateOf, endedBy }: Delivery, { body, isFetched }: Delivered) => {
    const keys = duplicateOf.map(keyOf);
    /** The id of the delivery's thing; empty without one. */
    const thing = about === null ? "" : orderId(site.id, { kind: about.kind, value: about.id });
    const mark = markOf(vault, thing);
    // `stored`: the history as it is stored; empty for none.
    const none = { keys, key: null, status: null, history: noHistory, mark, stored: "", thing };
    if (about === null && keys.length < 2 && endedBy === null) return none;
    const ofOrder = order === null ? null : orderId(site.id, { kind: "id", value: order.id });
    const row = await inTime(context, findKnown(sql, site.id, { keys, thing: thing || null, order: ofOrder }));
    const status = readValue(site.rows, row.status, "customer_order.status", ofOrder ?? "", null);
    const found = { ...none, key: row.key, status, stored: row.history ?? "" };
    if (row.history !== null) return { ...found, history: readHistory(parseJson(row.history)) };
    if (about?.kind !== "id" || status === null || (row.key !== null && !isFetched)) return found;
    const told = await former(site, about.id, status, body);
    return told === null ? found : { ...found, history: { changedAt: null, status: mark(status), told: told.map(mark) } };
  };
  return { known, payload };
}

/** What storing the delivery does to its thing's history; null if that neither changes nor matters. */
function changeOf({ id }: SiteConfig, { unless }: Delivery, { thing, stored }: Known, { next, tells }: Decision): HistoryChange | null {
  const matters = next !== null || (unless !== null && tells !== null);
  return thing === "" || !matters ? null : { site_id: id, id: thing, before: stored, after: next && printHistory(next) };
}

/** Which of the site's secrets made which proof. @throws RequestRefused where none did */
function prove(site: SiteConfig, { headers, receivedAt }: ShopRequest, bytes: Buffer): { proof: Proof; signer: string } {
  if (site.unreadable) throw new RequestRefused(site.unreadable);
  const { source, sourceType } = site.inbound;
  const proof = source.proofOf(headerReader(headers));
  const signer = proof === null ? undefined : matchSigner(site.secrets.ofShop, bytes, proof, receivedAt);
  if (proof !== null && signer !== undefined) return { proof, signer };
  const hasNoSecret = sourceType === "woocommerce" && proof?.scheme === "base64" && isSignedWithNothing(bytes, proof.signature);
  throw new RequestRefused(hasNoSecret ? "secret_empty" : "invalid_signature");
}

/** A repeated request of a shop is recognized for so long. */
export const repeatSeconds = 48 * 3600;

/** The key has one length, however long the shop's texts are. */
const keyOf = (texts: readonly string[]): string => `shop:${hash("sha256", JSON.stringify(texts), "base64url")}`;

/** `tells`: null for a repeat. */
function toEvent(
  site: SiteConfig,
  { receivedAt, body, text }: Delivered,
  delivery: Delivery,
  keys: readonly string[],
  payload: JsonObject,
  tells: Decision["tells"] = null,
): AuthenticEvent {
  const [key = null, ...alsoKeys] = keys;
  const name = tells?.event ?? "";
  // An id that the sender has signed is the same at the site's own path.
  const signedId = site.inbound.source.signsBodyAlone ? undefined : delivery.duplicateOf[0]?.find(isKey);
  return {
    site,
    source: site.inbound.sourceType,
    topic: tells?.news.key ?? topicKey(delivery),
    name,
    payload,
    text: payload === body ? text : printJson(payload),
    test: isTestEvent(name, payload),
    dryRun: false,
    queued: true,
    idempotencyKey: signedId ?? key,
    isSignedId: signedId !== undefined,
    ...(signedId !== undefined && key !== null && { needs: neededOfId(key) }),
    idUntil: key === null ? null : Math.floor(receivedAt.getTime() / 1000) + repeatSeconds,
    ...(alsoKeys.length > 0 && { alsoKeys }),
    ...(delivery.order?.needs === "payload" && { isOfPart: true }),
  };
}
