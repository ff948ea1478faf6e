import { createServer } from "node:http";
import type { SandboxOptions } from "shared/sandbox/config";
import { startSandbox } from "shared/sandbox/start";
import { createLogger } from "shared/server/logger";
import { request } from "undici";
import { data } from "./data.ts";
import { testDatabase } from "./database.ts";
import { listen } from "./listen.ts";
import { readBody } from "./platform.ts";

/** The id of the message in the answer to a send. */
export function messageId({ json, text }: SandboxAnswer): string {
  const id = (json as { messages?: { id?: string }[] } | undefined)?.messages?.[0]?.id;
  if (id === undefined) throw new Error(`no message id in ${text}`);
  return id;
}

/** The platform's error of an answer, without its trace id. */
export function errorOf({ json, text }: SandboxAnswer): Record<string, unknown> {
  const error = (json as { error?: Record<string, unknown> } | undefined)?.error;
  if (error === undefined) throw new Error(`no error in ${text}`);
  const { fbtrace_id: trace, ...rest } = error;
  if (typeof trace !== "string") throw new Error(`no trace id in ${text}`);
  return rest;
}

/** The text in `error_data.details`. */
export function detailsOf(answer: SandboxAnswer): string | undefined {
  return (errorOf(answer)["error_data"] as { details?: string } | undefined)?.details;
}

/** The names of a list answer's items. */
export function namesOf({ json }: SandboxAnswer): string[] {
  return (json as { data: { name: string }[] }).data.map(({ name }) => name);
}

/** An order message with every common part: one variable in the header, two in the body, one in the first button. */
export const orderTemplate = data<{ name: string; language: string; category: string; components: object[] }>(
  "test-support-sandbox",
  "orderTemplate",
);

const textParameter = (value: string) => ({ type: "text", text: value });

/** The member `template` of a send that fits it. */
export const orderMessage = {
  name: "order_shipped",
  language: { code: "en_US" },
  components: [
    { type: "header", parameters: [textParameter("10042")] },
    { type: "body", parameters: [textParameter("Ada"), textParameter("DHL-77")] },
    { type: "button", sub_type: "url", index: "0", parameters: [textParameter("77")] },
  ],
};

/** Creates the template and waits for nothing: with a review of 0 ms it is approved. Answers its id. */
export async function addTemplate(sandbox: OpenSandbox, template: Record<string, unknown> = orderTemplate): Promise<string> {
  const { status, json, text } = await sandbox.call("POST", `/${sandbox.account.wabaId}/message_templates`, template);
  if (status !== 200) throw new Error(`the template was refused: ${text}`);
  return (json as { id: string }).id;
}

/** The answer of provisioning. */
export interface SandboxCredentials {
  wabaId: string;
  phoneNumberId: string;
  displayPhoneNumber: string;
  accessToken: string;
  appId: string;
  appSecret: string;
  callbackVerified: boolean;
}

interface SandboxAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined if it is none. */
  json: unknown;
}

/** The token that opens the sandboxes of tests, and the key of their stored secrets. */
export const controlToken = "control-token-of-tests";
export const sandboxKey = Buffer.alloc(32, 3);

/** A sandbox on a database of its own, with one account whose callback is `receiver`. */
export interface OpenSandbox extends AsyncDisposable {
  url: string;
  readonly databaseUrl: string;
  readonly account: SandboxCredentials;
  readonly receiver: CallbackReceiver;
  /** Makes a call with the account's token, or with the control token to the sandbox's own calls. `path` has no leading version. */
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<SandboxAnswer>;
  /** Sends a template message; `template` is the member of that name. */
  send(to: string, template: Record<string, unknown>, more?: Record<string, unknown>): Promise<SandboxAnswer>;
  openAccount(): Promise<SandboxCredentials>;
  /** Stops the sandbox and starts it again on the same database, perhaps with a `pause` between. */
  restart(pause?: () => Promise<void>): Promise<void>;
  /** Sets the key of the next start. */
  useKey(key: Buffer): void;
}

/** Opens a sandbox whose statuses and reviews come at once, unless `options` says otherwise. */
export async function openSandbox(options: Partial<SandboxOptions> = {}): Promise<OpenSandbox> {
  const database = await testDatabase();
  const receiver = await openCallbackReceiver();
  let key: Buffer = sandboxKey;
  const start = async () =>
    startSandbox({
      host: "127.0.0.1",
      port: 0,
      databaseUrl: database.url,
      key,
      controlToken,
      log: createLogger("sandbox", "silent"),
      options: { sentAfterMs: 0, deliveredAfterMs: 10, readAfterMs: 20, reviewAfterMs: 0, slowMs: 200, retryFirstMs: 20, ...options },
    });
  let sandbox = await start();
  const exchange = async (method: string, path: string, body: unknown, token: string | null) =>
    exchangeWith(sandbox.url, method, path, body, path.startsWith("/_sandbox") ? controlToken : token);
  const openAccount = async (): Promise<SandboxCredentials> =>
    (await exchange("POST", "/_sandbox/accounts", { name: "Shop", callbackUrl: receiver.url, verifyToken }, null))
      .json as SandboxCredentials;
  const account = await openAccount();
  return {
    get url() {
      return sandbox.url;
    },
    databaseUrl: database.url,
    account,
    receiver,
    openAccount,
    call: async (method, path, body, token = account.accessToken) => exchange(method, path, body, token),
    send: async (to, template, more = {}) => {
      const body = { messaging_product: "whatsapp", to, type: "template", template, ...more };
      return exchange("POST", `/v25.0/${account.phoneNumberId}/messages`, body, account.accessToken);
    },
    restart: async (pause) => {
      await sandbox[Symbol.asyncDispose]();
      await pause?.();
      sandbox = await start();
    },
    useKey: (next) => {
      key = next;
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function exchangeWith(url: string, method: string, path: string, body: unknown, token: string | null): Promise<SandboxAnswer> {
  const answer = await request(url + path, {
    method: method as "GET",
    headers: { "content-type": "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One POST of the sandbox. */
export interface ReceivedCallback {
  /** The bytes as they came, as Latin-1. */
  raw: string;
  signature: string | undefined;
  body: CallbackBody;
}

export interface CallbackBody {
  object: string;
  entry: { id: string; time?: number; changes: { field: string; value: CallbackValue }[] }[];
}

export type CallbackValue = Record<string, unknown> & {
  metadata?: { display_phone_number: string; phone_number_id: string };
  contacts?: { wa_id: string; user_id: string }[];
  statuses?: StatusItem[];
};

export type StatusItem = Record<string, unknown> & { id: string; status: string; timestamp: string; recipient_id: string };

/** A business's callback that records its updates. */
interface CallbackReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedCallback[];
  /** The number of calls, whatever it answered. */
  readonly attempts: number;
  /** The number of requests to echo a challenge. */
  readonly handshakes: number;
  /** The status of its answers from now on. */
  status: number;
  /** Every reported status, in the order of arrival. */
  statuses(messageId?: string): StatusItem[];
  /** Every other update of a field. */
  updates(field: string): CallbackValue[];
}

/** The verify token that the handshake must bring. */
export const verifyToken = "callback-token";

export async function openCallbackReceiver(port = 0): Promise<CallbackReceiver> {
  const received: ReceivedCallback[] = [];
  const state = { status: 200, attempts: 0, handshakes: 0 };
  const server = createServer((request, response) => {
    void readBody(request).then((bytes) => {
      if (bytes === null) return;
      const url = new URL(request.url ?? "/", "http://receiver");
      if (request.method === "GET") {
        state.handshakes += 1;
        const known = url.searchParams.get("hub.mode") === "subscribe" && url.searchParams.get("hub.verify_token") === verifyToken;
        response.writeHead(known ? 200 : 403).end(known ? url.searchParams.get("hub.challenge") : "");
        return;
      }
      state.attempts += 1;
      const raw = bytes.toString("latin1");
      const signature = request.headers["x-hub-signature-256"];
      if (state.status === 200)
        received.push({ raw, signature: signature?.toString(), body: JSON.parse(bytes.toString()) as CallbackBody });
      response.writeHead(state.status).end();
    });
  });
  const listening = await listen(server, { port });
  const changes = () => received.flatMap(({ body }) => body.entry.flatMap((entry) => entry.changes));
  return {
    ...listening,
    url: `${listening.url}/callback`,
    received,
    get attempts() {
      return state.attempts;
    },
    get handshakes() {
      return state.handshakes;
    },
    get status() {
      return state.status;
    },
    set status(status) {
      state.status = status;
    },
    statuses: (messageId) => {
      const all = changes().flatMap(({ value }) => value.statuses ?? []);
      return messageId === undefined ? all : all.filter(({ id }) => id === messageId);
    },
    updates: (field) => changes().flatMap((change) => (change.field === field ? [change.value] : [])),
  };
}
