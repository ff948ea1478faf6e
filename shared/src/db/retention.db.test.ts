import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openShop } from "../../../test/support/gateway.ts";
import { newId } from "./ids.ts";
import { deleteHistories } from "./retention.ts";

const nobody = "00000000-0000-0000-0000-000000000000";

it("what was told of a shop's order is known for 90 days after its last change, or as long as the log, and until the site is deleted", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const [shop, other] = [await openShop(sql), await openShop(sql)];
  const days = [1, 89, 91, 121];
  for (const { siteId } of [shop, other])
    for (const age of days)
      await sql`insert into shop_history (site_id, id, history, updated_at) values (${siteId}, ${newId()}, ${age}, now() - make_interval(days => ${age}))`;
  const left = async (siteId: string) => {
    for (let after: string | null = nobody; after !== null;) after = (await deleteHistories(sql, siteId, { after, limit: 1 })).next;
    const rows = await sql<{ history: string }[]>`select history from shop_history where site_id = ${siteId} order by updated_at desc`;
    return rows.map(({ history }) => Number(history));
  };
  await sql`update account set payload_days = 1, log_days = 120 where id = ${shop.accountId}`;
  expect(await left(shop.siteId)).toEqual([1, 89, 91]);
  await sql`update account set log_days = 1 where id = ${shop.accountId}`;
  expect(await left(shop.siteId)).toEqual([1, 89]);
  await sql`update site set deleted_at = now() where id = ${shop.siteId}`;
  expect(await left(shop.siteId)).toEqual([]);
  expect(await sql`select from shop_history where site_id = ${other.siteId}`).toHaveLength(4);
});
