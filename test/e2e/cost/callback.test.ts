import { connect, type Pool } from "shared/db/connect";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { testDatabase, type TestDatabase } from "../../support/database/test-database.ts";
import { insertNotifications } from "../../support/gateway/insert-notification.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { postUpdates } from "../../support/gateway/post-callback.ts";
import { openShop } from "../../support/gateway/shop.ts";

const never = 10 ** 8;
const many = 1000;

let database: TestDatabase;
/** Looks on from another database, so that it does not count itself. */
let observer: Pool;
beforeAll(async () => {
  database = await testDatabase();
  observer = connect(inject("serverUrl"), { max: 1 });
  await observer`create extension if not exists pg_stat_statements`;
});
afterAll(async () => {
  await observer?.end();
  await database?.[Symbol.asyncDispose]();
});

/** Statements of the database so far, read once every connection to it is closed. */
async function statements(): Promise<number> {
  const name = new URL(database.url).pathname.slice(1);
  await expect.poll(async () => (await observer`select from pg_stat_activity where datname = ${name}`).length, { timeout: 10_000 }).toBe(0);
  const [row] = await observer<{ n: number }[]>`
    select coalesce(sum(calls), 0)::integer as n from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = ${name} and toplevel`;
  return row?.n ?? 0;
}

it("a callback of a thousand statuses costs as many statements as one of one, and settles them all", async () => {
  const sql = connect(database.url, { max: 1 });
  const shop = await openShop(sql);
  const rows = await insertNotifications(
    sql,
    shop,
    Array.from({ length: 2 * many + 2 }, (_, i) => ({ status: "sent" as const, waMessageId: `wamid.${i}` })),
  );
  await sql.end();
  // Half of them are known by our reference, half by the platform's id; a part of them failed, and some are told twice.
  const update = (i: number) => ({
    id: `wamid.${i}`,
    status: i % 10 === 0 ? "failed" : i % 3 === 0 ? "read" : "delivered",
    timestamp: "1790000000",
    ...(i % 2 === 0 && { biz_opaque_callback_data: rows[i]?.reference }),
    ...(i % 10 === 0 && { errors: [{ code: 131026, title: "Undeliverable", error_data: { details: "Not on it." } }] }),
  });
  const run = async (indexes: number[]): Promise<number> => {
    const before = await statements();
    const gateway = await openGateway(database.url, "http://127.0.0.1:9", {}, { sweepMs: never, forgetMs: never });
    const updates = indexes.map(update);
    expect((await postUpdates(gateway, shop, [...updates, ...updates.slice(0, 50)])).status).toBe(200);
    await gateway[Symbol.asyncDispose]();
    return (await statements()) - before;
  };
  const small = await run([0, 1]);
  const large = await run(Array.from({ length: many }, (_, i) => 2 + i));
  expect(large - small).toBeLessThanOrEqual(0);
  const after = connect(database.url, { max: 1 });
  const counts = await after`
    select status, count(*)::integer as n from notification where site_id = ${shop.siteId} group by status order by status`;
  const told = Array.from({ length: many + 2 }, (_, i) => update(i).status);
  const tally = (status: string) => told.filter((each) => each === status).length;
  expect(counts).toEqual([
    { status: "sent", n: rows.length - told.length },
    { status: "failed", n: tally("failed") },
    { status: "delivered", n: tally("delivered") },
    { status: "read", n: tally("read") },
  ]);
  await after.end();
});
