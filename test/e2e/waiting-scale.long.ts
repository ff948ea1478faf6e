import { renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import type { Sql } from "shared/db/statement";
import { readBacklog } from "shared/db/waiting/list";
import { listDueSites, takeDue } from "shared/db/waiting/take";
import { expect, it } from "vitest";
import { report } from "../faults/harness/scale.ts";
import { blocksOf } from "../support/blocks.ts";
import { testDatabase } from "../support/database.ts";
import { insertNotifications, openShop, type Shop } from "../support/gateway.ts";

/** Adds messages that wait for tomorrow, each for a phone of its own. */
async function insertWaiting(sql: Sql, { accountId, siteId, bindingId }: Shop, count: number): Promise<void> {
  await sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select ${siteId}, gen_random_uuid(), ${accountId}, gen_random_uuid(), ${bindingId}, md5(n::text), at, at
    from generate_series(1, ${count}) n cross join lateral (select now() + interval '1 day' + n * interval '1 ms' as at) due`;
  await sql`
    insert into recipient_turn (account_id, phone_hash, site_id, due_at)
    select account_id, phone_hash, site_id, due_at from waiting_message where site_id = ${siteId}`;
}

async function insertDue(sql: Sql, shop: Shop, count: number): Promise<void> {
  const messages = await insertNotifications(
    sql as never,
    shop,
    Array.from({ length: count }, () => ({ status: "queued" as const })),
  );
  await sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select site_id, id, account_id, event_id, binding_id, 'due ' || id, now(), now() from notification where id = any(${messages.map(({ id }) => id)}::uuid[])`;
  await sql`
    insert into recipient_turn (account_id, phone_hash, site_id, due_at)
    select account_id, phone_hash, site_id, due_at from waiting_message where phone_hash like 'due %' on conflict do nothing`;
}

it("finding and taking what is due costs the same with a thousand and a million messages waiting", { timeout: 600_000 }, async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const shop = await openShop(sql);
  const owner = newId();
  await renewGatewayLease(sql, { id: owner, seconds: 3600, since: newId() });
  const measured: Record<string, number>[] = [];
  for (const count of [1_000, 1_000_000]) {
    await database.owner`truncate waiting_message, recipient_turn`;
    await insertWaiting(sql, shop, count);
    await insertDue(sql, shop, 200);
    await database.owner`vacuum analyze waiting_message`;
    await database.owner`vacuum analyze recipient_turn`;
    await database.owner`vacuum analyze notification`;
    const take = async (connection: Sql) => expect((await takeDue(connection, owner, shop.siteId, 20)).messages).toHaveLength(20);
    // The first statement of a connection reads the catalogue.
    await blocksOf(sql as never, take);
    const since = performance.now();
    const backlog = await readBacklog(sql, shop.accountId, { siteId: null });
    const backlogMs = Math.round(performance.now() - since);
    expect(backlog).toMatchObject({ scheduled: count, queued: 200 });
    measured.push({
      waiting: count,
      take: await blocksOf(sql as never, take),
      look: await blocksOf(sql as never, async (connection) =>
        expect(await listDueSites(connection, "00000000-0000-0000-0000-000000000000", 1000)).toHaveLength(1),
      ),
      backlogMs,
    });
  }
  for (const row of measured) report("waiting", row);
  const [few, many] = measured;
  expect(many?.["take"]).toBeLessThan(2 * (few?.["take"] ?? 0));
  expect(many?.["look"]).toBeLessThan(2 * (few?.["look"] ?? 0) + 10);
});
