import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { testDatabase } from "../../test/support/database.ts";
import { openGateway } from "../../test/support/gateway.ts";
import { openShop } from "../../test/support/gateway.ts";
import { postEvent } from "../../test/support/requests.ts";

it("another master key than the stored secrets' is one line at the start, not an error at the first event", async () => {
  await using database = await testDatabase();
  await openShop(database.sql);
  await expect(openGateway(database.url, "http://127.0.0.1:9", { masterKey: randomBytes(32) })).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^MASTER_KEY is not the one/),
  });
});

it("has the connections for events open before the first of them comes", async () => {
  await using database = await testDatabase();
  await using _gateway = await openGateway(database.url, "http://127.0.0.1:9");
  const rows = await database.sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'tidings-gateway-events'`;
  expect(rows).toHaveLength(4);
});

it("never has more connections than it may, however long the database holds its statements", async () => {
  await using database = await testDatabase();
  const shop = await openShop(database.sql);
  await using gateway = await openGateway(database.url, "http://127.0.0.1:9", {}, { statementMs: 300, dueMs: 20, sweepMs: 20 });
  const connections = async (): Promise<number> =>
    (await database.owner`select from pg_stat_activity where datname = current_database() and application_name like 'tidings-gateway%'`)
      .length;
  const counts: number[] = [];
  const answers: Promise<unknown>[] = [];
  await database.owner.begin(async (sql) => {
    await sql`lock table notification in access exclusive mode`;
    // A connection that is silent for so long is replaced, three times and more.
    for (let look = 0; look < 20; look += 1) {
      for (let n = 0; n < 4; n += 1) answers.push(postEvent(gateway, shop));
      await new Promise((resolve) => setTimeout(resolve, 150));
      counts.push(await connections());
    }
  });
  await Promise.all(answers);
  expect(Math.max(...counts)).toBeLessThanOrEqual(14);
});
