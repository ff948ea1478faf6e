import { randomBytes } from "node:crypto";
import { type AdminClientOptions, createAdminClient } from "admin-server/client";
import type { AdminConfig } from "admin-server/config";
import { type AdminOverrides, startAdminServer } from "admin-server/start";
import { pino } from "pino";
import type { Pool } from "shared/db/connect";
import { testDatabase } from "../database/test-database.ts";

export const password = "a good long password";

export type AdminClient = ReturnType<typeof createAdminClient>;
export type OpenAdmin = Awaited<ReturnType<typeof openAdmin>>;

/** An admin server in this process on a free port over a database of its own, talking to a platform that is not there unless `changes` say otherwise. */
export async function openAdmin(changes: Partial<AdminConfig> = {}, overrides: AdminOverrides = {}) {
  const database = await testDatabase();
  const server = await openAdminOn(database.url, changes, overrides);
  return {
    ...server,
    databaseUrl: database.url,
    sql: database.sql satisfies Pool,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** One more admin server over a database that is there already. */
export async function openAdminOn(databaseUrl: string, changes: Partial<AdminConfig> = {}, overrides: AdminOverrides = {}) {
  const config = { ...defaults, databaseUrl, ...changes };
  const log = pino({ level: process.env["TEST_LOG"] ?? "silent" });
  // Tests write logs of years ago, which nobody may forget under them.
  const server = await startAdminServer(config, { log, retentionMs: 2 ** 31 - 1, ...overrides });
  const client = (token?: AdminClientOptions["token"]): AdminClient => createAdminClient({ url: server.url, token });
  return {
    url: server.url,
    client,
    /** A POST or GET as a program without tRPC would send it. */
    fetch: async (path: string, init: RequestInit = {}): Promise<Response> => fetch(server.url + path, init),
    /** A procedure called over plain HTTP; `headers` may hold a cookie, an origin, a forwarding. */
    call: async (path: string, input: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${server.url}/trpc/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(input),
      }),
    /** A new account and its owner. */
    async signUp(email = `${randomBytes(6).toString("hex")}@example.com`) {
      const { token, user } = await client().auth.signUp.mutate({ accountName: "Shop", email, password });
      return { email, token, user, client: client(token) };
    },
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

const defaults: Omit<AdminConfig, "databaseUrl"> = {
  host: "127.0.0.1",
  port: 0,
  masterKey: randomBytes(32),
  platformUrl: "http://127.0.0.1:9",
  isSandbox: false,
  publicGatewayUrl: "https://gateway.example",
  publicAdminUrl: "http://admin.example",
  trustProxy: false,
  firstOwner: null,
  allowPrivate: null,
  allowSignUp: true,
  setupCode: null,
  logLevel: "silent",
};
