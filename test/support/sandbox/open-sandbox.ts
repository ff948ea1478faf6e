import type { SandboxOptions } from "shared/sandbox/config";
import { startSandbox } from "shared/sandbox/start";
import { createLogger } from "shared/server/logger";
import { request } from "undici";
import { testDatabase } from "../database/test-database.ts";
import { openCallbackReceiver, verifyToken, type CallbackReceiver } from "./callback-receiver.ts";

/** What provisioning answers. */
export interface SandboxCredentials {
  wabaId: string;
  phoneNumberId: string;
  displayPhoneNumber: string;
  accessToken: string;
  appId: string;
  appSecret: string;
  callbackVerified: boolean;
}

export interface SandboxAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Undefined when the body is not JSON. */
  json: unknown;
}

/** A sandbox on a database of its own, with one account whose callback is `receiver`. */
export interface OpenSandbox extends AsyncDisposable {
  url: string;
  readonly databaseUrl: string;
  readonly account: SandboxCredentials;
  readonly receiver: CallbackReceiver;
  /** A call with the account's token. `path` without a leading version. */
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<SandboxAnswer>;
  /** Sends a template message; `template` is the member of that name. */
  send(to: string, template: Record<string, unknown>, more?: Record<string, unknown>): Promise<SandboxAnswer>;
  openAccount(): Promise<SandboxCredentials>;
  /** Stops the sandbox and starts it again on the same database, perhaps with a `pause` between. */
  restart(pause?: () => Promise<void>): Promise<void>;
}

/** What comes after a send or a template comes at once, unless `options` says otherwise. */
export async function openSandbox(options: Partial<SandboxOptions> = {}): Promise<OpenSandbox> {
  const database = await testDatabase();
  const receiver = await openCallbackReceiver();
  const start = async () =>
    startSandbox({
      host: "127.0.0.1",
      port: 0,
      databaseUrl: database.url,
      log: createLogger("sandbox", "silent"),
      options: { sentAfterMs: 0, deliveredAfterMs: 10, readAfterMs: 20, reviewAfterMs: 0, slowMs: 200, retryFirstMs: 20, ...options },
    });
  let sandbox = await start();
  const exchange = async (method: string, path: string, body: unknown, token: string | null) =>
    exchangeWith(sandbox.url, method, path, body, token);
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
