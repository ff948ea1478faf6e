import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Gateway } from "gateway/start";
import { signBody } from "shared/secrets/signature";
import { type TestDatabase, testDatabase } from "./database.ts";
import { type Shop, openGateway, openShop } from "./gateway.ts";
import type { SendBody } from "./platform.ts";

/** The sender of events: a site's key and secret. */
export type Sender = { key: string; secret: string };

export interface PostOptions {
  source?: string | undefined;
  event?: string | undefined;
  /** Headers beside the usual ones; null leaves one out. */
  headers?: Record<string, string | null> | undefined;
}

export interface Posted {
  status: number;
  body: string;
  json: Record<string, unknown>;
  headers: Headers;
}

export const anEvent = { customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: "10042" } };

/** Posts a signed event, as a customer's backend would. A string or bytes are sent unchanged. */
export async function postEvent(
  gateway: { url: string },
  sender: Sender,
  payload: unknown = anEvent,
  options: PostOptions = {},
): Promise<Posted> {
  const { source = "generic", event = "order.created" } = options;
  const body = new Uint8Array(
    payload instanceof Uint8Array ? payload : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
  );
  const headers = new Headers({
    "Content-Type": "application/json",
    "X-Service-Site-Key": sender.key,
    "X-Service-Signature": signBody(sender.secret, body),
    "X-Service-Timestamp": String(Math.floor(Date.now() / 1000)),
  });
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const response = await fetch(`${gateway.url}/api/public/ingest/${source}/${event}`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, body: text, json: JSON.parse(text) as Record<string, unknown>, headers: response.headers };
}

/** Reports the status of a send to a gateway, as the platform would. */
export async function postStatus(
  gateway: { url: string },
  shop: Shop,
  send: SendBody,
  status: string,
  waMessageId: string,
): Promise<Response> {
  const update = {
    id: waMessageId,
    status,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: send.to.slice(1),
    biz_opaque_callback_data: send.biz_opaque_callback_data,
  };
  return await postUpdates(gateway, shop, [update]);
}

export const postUpdates = (gateway: { url: string }, shop: Shop, statuses: object[]): Promise<Response> =>
  postCallback(gateway, shop, { statuses });

/** Reports people's messages to a gateway. */
export const postMessages = (gateway: { url: string }, shop: Shop, messages: object[]): Promise<Response> =>
  postCallback(gateway, shop, { messages });

async function postCallback(gateway: { url: string }, shop: Shop, news: object): Promise<Response> {
  const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "2001" }, ...news };
  const body = Buffer.from(
    JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1001", changes: [{ field: "messages", value }] }] }),
  );
  return await fetch(`${gateway.url}/api/public/platform/webhook/${shop.accountId}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Hub-Signature-256": signBody(shop.appSecret, body) },
    body,
  });
}

export interface Callbacks extends AsyncDisposable {
  database: TestDatabase;
  gateway: Gateway;
  shop: Shop;
  /** The callback's address, of the shop's account unless another is given. */
  urlOf(accountId?: string): string;
  /** Posts bytes signed with the shop's app secret; answers status and body. */
  post(body: string | Uint8Array, headers?: Record<string, string>, url?: string): Promise<[number, string]>;
}

/** A gateway that gets callbacks, and an account for them. */
export const openCallbacks = async (): Promise<Callbacks> => {
  const database = await testDatabase();
  const gateway = await openGateway(database.url, "http://127.0.0.1:9");
  const shop = await openShop(database.sql);
  const urlOf = (accountId = shop.accountId): string => `${gateway.url}/api/public/platform/webhook/${accountId}`;
  return {
    database,
    gateway,
    shop,
    urlOf,
    post: async (body, headers = {}, url = urlOf()) => {
      const bytes = Buffer.from(body);
      const signed = { "Content-Type": "application/json", "X-Hub-Signature-256": signBody(shop.appSecret, bytes), ...headers };
      const response = await fetch(url, { method: "POST", headers: signed, body: bytes });
      return [response.status, await response.text()];
    },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

/** A callback's body with these changes in it. */
export const envelope = (...changes: object[]): string =>
  JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1001", changes }] });

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection on which a test writes exact bytes. */
export interface RawSocket {
  socket: Socket;
  send(text: string | Buffer): void;
  /** The next whole answer (by its Content-Length); rejects when the connection ends before. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the other side has closed. */
  closed(): Promise<void>;
}

export const rawSocket = async (port: number): Promise<RawSocket> => {
  const socket = connect(port, "127.0.0.1");
  let received = Buffer.alloc(0);
  let ended = false;
  let wake = (): void => undefined;
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    wake();
  });
  socket.on("close", () => {
    ended = true;
    wake();
  });
  await once(socket, "connect");
  return {
    socket,
    send: (text) => void socket.write(text),
    answer: async () => {
      for (;;) {
        const parsed = parse(received);
        if (parsed !== null) {
          received = received.subarray(parsed.length);
          return parsed.answer;
        }
        if (ended) throw new Error(`the connection ended after ${JSON.stringify(received.toString("latin1"))}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    closed: async () => {
      while (!ended) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
};

const parse = (bytes: Buffer): { answer: RawAnswer; length: number } | null => {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const status = Number(first.split(" ")[1]);
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return null;
  return { answer: { status, headers, body: bytes.subarray(end + 4, length).toString("utf8") }, length };
};
