import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { testDatabase } from "../../../../test/support/database.ts";
import { insertNotifications, openShop } from "../../../../test/support/gateway.ts";
import { connect } from "../connect.ts";
import { makePartitions } from "../migrate.ts";
import { applyStatuses, type StatusChange } from "./statuses.ts";

const said: Omit<StatusChange, "id" | "site_id"> = data("db-notification-statuses", "said");

test("statuses find their messages by key, and not through the indexes of what people look for, however little PostgreSQL knows of a log that grows", async () => {
  await using database = await testDatabase();
  await makePartitions(database.sql);
  const shop = await openShop(database.sql);
  const sql = connect(database.url, { max: 1 });
  const scans = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<[{ n: number }]>`
      select coalesce(sum(idx_scan), 0)::integer as n from pg_stat_user_indexes where relname ~ '^notification_(2|default)' and indexrelname ~ 'phone|template'`;
    return row.n;
  };
  for (let round = 0; round < 30; round += 1) {
    const rows = await insertNotifications(
      database.sql,
      shop,
      Array.from({ length: 60 }, () => ({ status: "sent" as const })),
    );
    if (round === 10) await database.owner`analyze notification`;
    const changes = rows.map(({ id, siteId }) => ({ ...said, id, site_id: siteId }));
    expect(await applyStatuses(sql, { id: shop.accountId, has_webhooks: false }, changes)).toMatchObject({ changed: 60 });
  }
  expect(await scans()).toBe(0);
  await sql.end();
});
