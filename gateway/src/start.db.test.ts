import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { testDatabase } from "../../test/support/database.ts";
import { openGateway } from "../../test/support/gateway.ts";
import { openShop } from "../../test/support/gateway.ts";

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
