import { openShop, type Shop, type ShopOptions } from "../../support/gateway/shop.ts";
import type { BenchProcess } from "./bench-process.ts";
import type { BenchDatabase, Cluster } from "./cluster.ts";
import { startPlatform } from "./servers.ts";

/** What a measured server needs around it: a database with a shop in it, and a platform. */
export interface Stage extends AsyncDisposable {
  cluster: Cluster;
  database: BenchDatabase;
  databaseUrl: string;
  shop: Shop;
  platform: BenchProcess;
  platformUrl: string;
}

export async function openStage(
  cluster: Cluster,
  name: string,
  { delayMs, ...shop }: ShopOptions & { delayMs?: number } = {},
): Promise<Stage> {
  const database = await cluster.createDatabase(`bench_${name}`);
  const platform = await startPlatform(delayMs);
  return {
    cluster,
    database,
    databaseUrl: database.url,
    shop: await openShop(database.sql, shop),
    platform,
    platformUrl: platform.url,
    [Symbol.asyncDispose]: async () => {
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
