import { type JsonObject, type JsonValue, lookUp } from "../json.ts";
import { isBlank } from "../text.ts";

/** A shop system that posts its own requests: data, and functions that judge nothing and never throw. */
export interface Source {
  /** The kind of secret that signs requests: one that the operator pastes, or the one that the site was made with. */
  secret: "source_secret" | "webhook_secret";
  /** Whether phones are made E.164 unless the operator says otherwise. */
  normalizesPhones: boolean;
  /** Whether a signature is of the body alone, so that whoever has seen one can put it before other headers, and at another address. */
  signsBodyAlone: boolean;
  /** Topics and the events that they mean before the operator's own map; `topic:status` if the status decides. Null: a topic is itself the event's name. */
  events: ReadonlyMap<string, string> | null;
  /** Topics of data protection law, which are never events. The function reads the person to forget; null for nobody. */
  privacyTopics: ReadonlyMap<string, (body: JsonObject) => ShopPerson | null>;
  /** Names of the source's headers in lower case. The first present one of `topics` counts; those in `shown` are also shown with a refused request. */
  headers: Readonly<Record<"topics" | "signatures" | "shown", readonly string[]>>;
  /** An unsigned request by which the platform tests the address; null when it makes none. */
  ping: { contentType: string; body: RegExp } | null;
  /** The list of orders, which a key opens; null where orders are not fetched. */
  orders: OrderList | null;
  /** The proof of a request; null without a signature. */
  proofOf(headers: HeaderReader): Proof | null;
  /** The content of a request; null when it does not name a topic. */
  deliveryOf(headers: HeaderReader, body: JsonObject): Delivery | null;
  /** Whether the body can be one of that topic, which is not signed: false for the form of another topic's bodies, a state that denies the topic, or no id. */
  fits(topic: string, body: JsonObject): boolean;
  /** The body in the form of our conventions of events, with the ids as text. */
  payloadOf(body: JsonObject, known: KnownFacts): JsonObject;
}

/** A customer as their shop names them: the phone as it was written, the shop's ids of the customer and of orders. */
export interface ShopPerson {
  phone: string | null;
  email: string | null;
  customer: string | null;
  orders: readonly string[];
}

/** A shop system's list of its orders, in the form of its requests. */
export interface OrderList {
  pageSize: number;
  /** The path, below the site's URL, of a page of the orders that have changed since, the last change first. Pages count from 1. */
  pagePath(since: Date, page: number): string;
  /** The headers of the request by which the shop would have posted a new order, or a change. */
  headersOf(kind: "created" | "changed"): Readonly<Record<string, string>>;
  /** The marks of what is known to be told when an order was seen in that state, but its history is not kept. */
  told(order: JsonObject): string[];
  /** The facts of an order; null for a draft, which no request tells of. */
  read(order: JsonObject): { id: string; createdAt: Date | null } | null;
}

/** A header's value by its name in lower case; null when it is absent or empty. */
export type HeaderReader = (name: string) => string | null;

/** `base64`, `hex`: HMAC-SHA256 of the body's bytes, the latter behind `sha256=`; `standard`: the headers of Standard Webhooks. */
export type Proof =
  | { scheme: "base64" | "hex"; signature: string }
  | { scheme: "standard"; id: string; timestamp: string; signature: string };

export interface Delivery {
  topic: string;
  /** The status of the order, where it belongs to the topic's name in lists and in the operator's map. */
  status: string | null;
  /** The status that is known from now on; null where there is none, or it has not come true. */
  isNow: string | null;
  /** Keys, each of texts that a repeat has too, but no other request of the site. One in common makes a repeat. */
  duplicateOf: readonly (readonly string[])[];
  /** Whether it tells nothing, whatever is known: of a draft, of a checkout that became an order, of a refund that failed. */
  isNothing: boolean;
  /** What it tells of, the most important first; at most one becomes an event. */
  news: readonly News[];
  /** The thing whose history decides which news are new; null where all are. */
  about: { kind: "id" | "checkout"; id: string } | null;
  /** When that thing was last changed, in ISO 8601 and UTC; null where the shop does not say. An older state than the newest known one tells nothing. */
  changedAt: string | null;
  /** Marks that its thing has from now on, and one with which its thing tells nothing any more. */
  leaves: readonly string[];
  unless: string | null;
  /** The order that it belongs to; null where nothing of it is needed. */
  order: { id: string; needs: "payload" | "status" } | null;
  /** The order's last known status, as the payload has it, after which it tells nothing. */
  endedBy: string | null;
  /** The topics, as in the operator's map, of what has happened before by what it says: messages that wait for it not to happen are cancelled. */
  shows: readonly string[];
}

/** Something that a delivery may tell of. */
export interface News {
  /** The topic's name in lists and in the operator's map: `topic`, or `topic:status`. */
  key: string;
  /** The mark by which it is known to be told; null for what may be told again. */
  once: string | null;
  /** Whether it tells of the order's status. */
  isStatus?: boolean;
  /** The event that has not happened yet, although the status is there. */
  isNot?: string | undefined;
  /** The id of the refund that it tells of. */
  refund?: string;
}

/** A delivery that tells of its topic each time. */
export const plainDelivery = (topic: string): Delivery => ({
  topic,
  status: null,
  isNow: null,
  duplicateOf: [],
  isNothing: false,
  news: [{ key: topic, once: null }],
  about: null,
  changedAt: null,
  leaves: [],
  unless: null,
  order: null,
  endedBy: null,
  shows: [],
});

/** Facts that a request's body does not hold. */
export interface KnownFacts {
  topic: string;
  /** The site's URL, as the operator entered it. The headers that name the shop are not signed. */
  siteUrl: string;
  /** The last payload stored for the order that the body names; null when there is none. */
  storedOrder: JsonObject | null;
  /** The id of the refund that is told of; null where the topic says it. */
  refund?: string | null;
  /** Reads the characters that HTML writes as entities; without it, they stay. */
  decode?: (text: string) => string;
  /** Whether a text can be read as a phone of the country (ISO 3166-1 alpha-2) of its address; without it, every text can. */
  isPhone?: IsPhone;
}

export type IsPhone = (text: string, country: string | undefined) => boolean;

/** Whether a text can be a topic: printable ASCII without spaces, for headers and the operator's map. */
export const isTopic = (text: string): boolean => /^[!-~]{1,128}$/.test(text);

/** A header's topic in lower case; null for a text that cannot be one. The header is not signed, so a status behind a colon counts only if it is the body's. */
export const topicOf = (header: string | null): string | null =>
  header !== null && isTopic(header) && !header.includes(":") ? header.toLowerCase() : null;

/** A text that is not empty, or a number as text digit for digit; undefined for anything else. */
export function scalar(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return isBlank(value) ? undefined : value;
  if (typeof value === "bigint") return value.toString();
  return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined;
}

export const scalarAt = (value: JsonValue | undefined, path: string) => (value === undefined ? undefined : scalar(lookUp(value, path)));

/** The form of a body by the first mark that it has: a member that no other form has. Undefined where nothing tells. */
export const formOf = <Form extends string>(body: JsonObject, marks: readonly (readonly [Form, ...string[]])[]): Form | undefined =>
  marks.find(([, ...names]) => names.some((name) => lookUp(body, name) !== undefined))?.[0];

/** The first value that is not undefined. */
export const firstOf = <T>(values: readonly (T | undefined)[]): T | undefined => values.find((value) => value !== undefined);

/** An object of the members that have a value. */
export const compact = (members: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));

/** A list, also as an object: PHP writes a list so from which an entry was removed. */
export const listOf = (value: JsonValue | undefined): JsonValue[] =>
  Array.isArray(value) ? value : typeof value === "object" && value !== null ? Object.values(value) : [];

/** The object, or undefined when it has no members. */
export const orNothing = (object: JsonObject): JsonObject | undefined => (Object.keys(object).length === 0 ? undefined : object);

/** Items by our conventions, each `{name, qty, price}`, and the sum of their quantities. Undefined where the body has no list. */
export function itemsOf(list: JsonValue | undefined, read: (item: JsonValue) => Record<"name" | "qty" | "price", JsonValue | undefined>) {
  if (typeof list !== "object" || list === null) return { items: undefined, items_count: undefined };
  const items = listOf(list).map((item) => {
    const { name, qty, price } = read(item);
    return compact({ name: scalar(name), qty: quantity(qty), price: scalar(price) });
  });
  const count = items.reduce((sum, { qty }) => sum + (typeof qty === "number" ? qty : 0), 0);
  // Goods sold by weight have fractions, which doubles do not add up exactly.
  return { items, items_count: Math.round(count * 1000) / 1000 };
}

/** `data`: the shop's own body, and the refund that is told of. */
export const withRefund = (raw: JsonObject, refund: JsonObject | null): JsonObject => (refund === null ? { raw } : { raw, refund });

const mostPieces = 1e9;

function quantity(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" && /^\d{1,10}(\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Math.abs(number) <= mostPieces ? number : undefined;
}

/** A place that may hold a phone, and the country of its address. */
export type PhonePlace = Record<"phone" | "country", string | undefined>;

/**
 * The first place with a phone that can be read, else the first with a text in its place (`n/a`), else the first with a country: a phone is never read by the
 * country of another address.
 */
export function phoneAndCountry(places: readonly PhonePlace[], isPhone: IsPhone = () => true): PhonePlace {
  const named = places.filter(({ phone }) => phone !== undefined);
  const readable = named.length > 1 ? named.find(({ phone, country }) => isPhone(phone ?? "", country)) : undefined;
  return readable ?? named[0] ?? { phone: undefined, country: firstOf(places.map(({ country }) => country)) };
}

/** A person's names from the first place that has any. */
export function namesOf(places: readonly (JsonValue | undefined)[]): JsonObject {
  for (const place of places) {
    const [first, last] = [scalarAt(place, "first_name"), scalarAt(place, "last_name")];
    const full = [first, last].filter((name) => name !== undefined).join(" ") || scalarAt(place, "name");
    if (full !== undefined) return compact({ first_name: first, last_name: last, full_name: full });
  }
  return {};
}

const idKey = /(^|_)ids?$/;

/** Whether no member is a number or holds one. */
const isPlain = (member: JsonValue): boolean => typeof member === "string" || typeof member === "boolean" || member === null;

/** The body, with ids as text: integers in members called `id`, `…_id` or `…_ids`, and those that a double does not hold. Takes any depth. */
export function idsAsText(body: JsonObject): JsonObject {
  if (Object.values(body).every(isPlain)) return body;
  const copy = { ...body };
  const open: { container: JsonObject | JsonValue[]; isIds: boolean }[] = [{ container: copy, isIds: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { container, isIds } = next;
    for (const key of Object.keys(container)) {
      const member = (container as JsonObject)[key] as JsonValue;
      if (isPlain(member)) continue;
      const named = Array.isArray(container) ? isIds : idKey.test(key);
      if (typeof member === "bigint" || (named && typeof member === "number")) (container as JsonObject)[key] = scalar(member) ?? null;
      else if (typeof member === "object") {
        const inner = Array.isArray(member) ? [...member] : { ...member };
        (container as JsonObject)[key] = inner;
        open.push({ container: inner, isIds: named });
      }
    }
  }
  return copy;
}
