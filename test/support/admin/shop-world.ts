import type { Gateway } from "gateway/start";
import type { Pool } from "shared/db/connect";
import { savePlatformAccount } from "shared/db/platform-account";
import { testDatabase, type TestDatabase } from "../database/test-database.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../gateway/scripted-platform.ts";
import { masterKey, openShop, type Shop, type ShopOptions, vault } from "../gateway/shop.ts";
import { type AdminClient, openAdminOn } from "./open-admin.ts";

export interface ShopWorld extends AsyncDisposable {
  database: TestDatabase;
  sql: Pool;
  platform: ScriptedPlatform;
  gateway: Gateway;
  /** Two servers over one database; the clients are one owner's. */
  admins: { url: string; token: string; client: AdminClient }[];
  /** A site of that owner's account, connected to the platform. */
  shop: Shop;
}

/** A shop whose owner looks on: a gateway, two admin servers and a platform that does what the test says. */
export async function openShopWorld(options: ShopOptions = {}): Promise<ShopWorld> {
  const database = await testDatabase();
  const platform = await startScriptedPlatform();
  const gateway = await openGateway(database.url, platform.url, { inDoubtSeconds: 1 }, { sweepMs: 50, replaysMs: 50 });
  const servers = [await openAdminOn(database.url, { masterKey }), await openAdminOn(database.url, { masterKey })];
  const owner = await servers[0]?.signUp();
  if (owner === undefined) throw new Error("no admin server");
  const accountId = (await owner.client.auth.me.query()).account.id;
  const shop = await openShop(database.sql, { ...options, accountId });
  await connect(database.sql, accountId, shop);
  return {
    database,
    sql: database.sql,
    platform,
    gateway,
    admins: servers.map((server) => ({ url: server.url, token: owner.token, client: server.client(owner.token) })),
    shop,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway, ...servers].map((server) => server[Symbol.asyncDispose]()));
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const connect = (sql: Pool, accountId: string, { appSecret }: Shop) =>
  savePlatformAccount(sql, {
    accountId,
    sandbox: false,
    wabaId: "1001",
    phoneNumberId: "2001",
    apiVersion: "v25.0",
    appId: null,
    accessToken: vault.encrypt("TOKEN"),
    accessTokenHint: "OKEN",
    appSecret: vault.encrypt(appSecret),
  });
