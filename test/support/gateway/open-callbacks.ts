import type { Gateway } from "gateway/start";
import { signBody } from "shared/secrets/signature";
import { type TestDatabase, testDatabase } from "../database/test-database.ts";
import { openGateway } from "./open-gateway.ts";
import { openShop, type Shop } from "./shop.ts";

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
