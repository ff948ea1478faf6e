import type { Pool } from "shared/db/connect";
import { testDatabase } from "../database/test-database.ts";
import { openShop, type Shop } from "../gateway/shop.ts";
import { recordHistory } from "./history.ts";
import type { LoadedShop } from "./ledger.ts";
import type { Random } from "./random.ts";
import { startTellingPlatform, type TellingPlatform } from "./telling-platform.ts";

/** What a scenario breaks things in: a database that remembers, shops, and a platform that reports. */
export interface World extends AsyncDisposable {
  databaseUrl: string;
  sql: Pool;
  shops: LoadedShop[];
  /** The one whose events are each for one customer. */
  single: Shop;
  platform: TellingPlatform;
  /** The gateways' addresses, for clients and callbacks; the scenario fills it. */
  gateways: string[];
}

/** More than one wave. */
const listed = Array.from({ length: 25 }, (_, i) => `+1555200${String(i).padStart(4, "0")}`);

/** One event in ten is for a list of 25 phones in two waves, the others are for one customer each; all of one account. */
export async function openWorld(random: Random, database?: { url: string; sql: Pool } & AsyncDisposable): Promise<World> {
  const used = database ?? (await testDatabase());
  const { sql } = used;
  await recordHistory(sql);
  const many = await openShop(sql, { recipient: { strategy: "site_recipients" }, phones: listed });
  const single = { ...(await openShop(sql, { accountId: many.accountId })), appSecret: many.appSecret };
  const shops: LoadedShop[] = [{ shop: many, phones: listed }, ...Array.from({ length: 9 }, () => ({ shop: single, phones: null }))];
  // The account has had callbacks before: that is what makes silence mean something.
  await sql`insert into platform_callback values (${many.accountId}, now())`;
  const gateways: string[] = [];
  const platform = await startTellingPlatform({ random, shop: many, gateways: () => gateways });
  return {
    databaseUrl: used.url,
    sql,
    shops,
    single,
    platform,
    gateways,
    [Symbol.asyncDispose]: async () => {
      await platform[Symbol.asyncDispose]();
      await used[Symbol.asyncDispose]();
    },
  };
}
