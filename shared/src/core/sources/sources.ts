import { eventHeaders, type HeaderUse, parseEventName } from "../event.ts";
import { lookUp } from "../json.ts";
import type { SourceType } from "../site.ts";
import { shopify } from "./shopify.ts";
import { type Delivery, type HeaderReader, plainDelivery, type Source } from "./source.ts";
import { woocommerce } from "./woocommerce.ts";

const { standardId, standardTimestamp, standardSignature } = eventHeaders;

/** Any program that signs as Standard Webhooks say. Its body is stored as it came. */
const generic: Source = {
  secret: "webhook_secret",
  normalizesPhones: false,
  signsBodyAlone: false,
  events: null,
  privacyTopics: new Map(),
  // Those of Standard Webhooks are headers of an event too.
  headers: { topics: [], signatures: [], shown: [] },
  ping: null,
  orders: null,

  proofOf(headers) {
    const [id, timestamp, signature] = [headers(standardId.name), headers(standardTimestamp.name), headers(standardSignature.name)];
    return id === null || timestamp === null || signature === null ? null : { scheme: "standard", id, timestamp, signature };
  },

  deliveryOf(headers, body) {
    const name = [lookUp(body, "type"), lookUp(body, "event")].find((value) => value != null && value !== "");
    const topic = typeof name === "string" ? parseEventName(name) : null;
    if (topic === null) return null;
    const id = headers(standardId.name);
    return { ...plainDelivery(topic), duplicateOf: id === null ? [] : [[id]] };
  },

  fits: () => true,

  payloadOf: (body) => body,
};

export const sources: Readonly<Record<SourceType, Source>> = { shopify, woocommerce, generic };

const ofEvents = (wanted: HeaderUse): string[] => Object.values(eventHeaders).flatMap(({ name, use }) => (use === wanted ? name : []));
const ofSources = (kind: keyof Source["headers"]): string[] => Object.values(sources).flatMap(({ headers }) => headers[kind]);

/** Those of events and of every source. */
export const headerNames = {
  keys: ofEvents("key"),
  topics: ofSources("topics"),
  signatures: [...ofEvents("signature"), ...ofSources("signatures")],
  shown: [...ofEvents("shown"), ...ofSources("shown")],
};

/** Reads headers whatever the case of their names. The first of several values counts. */
export function headerReader(headers: Readonly<Record<string, string | readonly string[] | undefined>>): HeaderReader {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const text = typeof value === "string" ? value : value?.[0];
    if (text !== undefined && text.trim() !== "") values.set(name.toLowerCase(), text.trim());
  }
  return (name) => values.get(name) ?? null;
}

/** Whether a request is the shop system's test of the address. Long bodies are none, so that few bodies are read as text. */
export function isPing({ ping }: Source, headers: HeaderReader, body: Uint8Array): boolean {
  if (ping === null || body.length > longestPing) return false;
  const type = headers("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return type === ping.contentType && ping.body.test(String.fromCharCode(...body));
}

const longestPing = 100;

/** The operator's own events for topics; null: the topic means none. */
export type TopicMap = Readonly<Record<string, string | null>>;

/** A topic's name in lists and in the operator's map: `topic`, or `topic:status` if the status decides. */
export const topicKey = ({ topic, status }: Pick<Delivery, "topic" | "status">): string => (status === null ? topic : `${topic}:${status}`);

/** The event that a topic means, null when none. The operator's map counts before the table, a topic with its status before one without. */
export function eventOfTopic({ events, privacyTopics }: Source, topicMap: TopicMap, key: string): string | null {
  const colon = key.indexOf(":");
  const topic = colon === -1 ? key : key.slice(0, colon);
  if (privacyTopics.has(topic)) return null;
  for (const name of [key, topic]) if (Object.hasOwn(topicMap, name)) return topicMap[name] ?? null;
  return events === null ? parseEventName(key) : (events.get(key) ?? null);
}
