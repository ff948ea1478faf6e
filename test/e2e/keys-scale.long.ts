import { connect } from "shared/db/connect";
import { forgetExpiredKeys, oldestKeys } from "shared/db/event/answer";
import { claimEvents, type EventClaim } from "shared/db/event/claim";
import { renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import { configName } from "shared/db/site-for-ingest";
import type { Pool } from "shared/db/statement";
import { expect, it } from "vitest";
import { report } from "../faults/harness/scale.ts";
import { blocksOf } from "../support/blocks.ts";
import { data } from "../support/data.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openShop, type Shop } from "../support/gateway.ts";

const expired = 50_000;

/** Adds keys that have ended, with their answered events, and `count` keys that still count and end within a day, but not before the test does. */
async function insertKeys({ sql, owner }: TestDatabase, { siteId }: Shop, count: number): Promise<void> {
  await owner`truncate idempotency, event`;
  await sql`
    insert into idempotency (site_id, event, key, dry_run, event_id, expires_at)
    select ${siteId}, 'order.created', 'order-' || lpad(n::text, 9, '0') || '-created', false, uuid_at(now() + n * interval '1 ms'),
      now() + case when n <= ${expired}::integer then n * interval '1 ms' - interval '1 hour'
        else interval '1 hour' + (n - ${expired}::integer) * interval '1 day' / ${count}::integer end
    from generate_series(1, ${expired}::integer + ${count}::integer) n`;
  await sql`
    insert into event (id, site_id, source, name, test, dry_run, bindings_run, chat)
    select event_id, site_id, 'generic', 'order.created', false, false, 0, 'sent' from idempotency where expires_at < now()`;
  await owner`vacuum analyze idempotency`;
  await owner`vacuum analyze event`;
}

function claimOf(shop: Shop, config: string, key: string): EventClaim {
  const usual = data<EventClaim["event"]>("test-e2e-keys-scale", "event");
  const event = { ...usual, id: newId(), site_id: shop.siteId, config, idempotency_key: key };
  return { event, notifications: [], addressees: [], waiting: [], stops: [], asks: [], hasWebhooks: false };
}

/**
 * Deletes all ended keys. Answers the blocks of the first step and of the last, each of which reads the keys that it deletes; the blocks of a step that
 * finds no more, past deleted keys that are not vacuumed yet; and the keys a second.
 */
async function forgetAll(sql: Pool): Promise<{ firstStep: number; lastStep: number; nothingLeft: number; keysPerSecond: number }> {
  const steps: { deleted: number; blocks: number; next: string | null }[] = [];
  const step = async (after: string): Promise<string | null> => {
    let done: { deleted: number; next: string | null } = { deleted: 0, next: null };
    const blocks = await blocksOf(
      sql as never,
      async (connection) => (done = await forgetExpiredKeys(connection, { ...oldestKeys, after })),
    );
    steps.push({ ...done, blocks });
    return done.next;
  };
  const since = performance.now();
  for (let after: string | null = oldestKeys.after; after !== null;) after = await step(after);
  const seconds = (performance.now() - since) / 1000;
  // The first step past deleted keys marks them, for all later ones.
  for (let looks = 0; looks < 2; looks += 1) expect(await step(oldestKeys.after)).toBeNull();
  const full = Array.from({ length: expired / oldestKeys.limit }, () => oldestKeys.limit);
  expect(steps.map(({ deleted }) => deleted)).toEqual([...full, 0, 0, 0]);
  const blocks = steps.map((each) => each.blocks);
  return {
    // The very first step reads the catalogue too.
    firstStep: blocks[1] ?? 0,
    lastStep: blocks[full.length - 1] ?? 0,
    nothingLeft: blocks.at(-1) ?? 0,
    keysPerSecond: Math.round(expired / seconds),
  };
}

it("claiming with a key and forgetting keys cost the same with a thousand and with ten million keys", { timeout: 1_800_000 }, async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const shop = await openShop(sql);
  const owner = newId();
  await renewGatewayLease(sql, { id: owner, seconds: 7200, since: newId() });
  const [{ config }] = await sql<[{ config: string }]>`
    select ${sql.unsafe(configName)} as config from site s join account a on a.id = s.account_id where s.id = ${shop.siteId}`;
  // The two connections are like the gateway's: for events, and for everything else.
  const byKey = connect(database.url, { max: 1, byKey: true });
  const plain = connect(database.url, { max: 1 });
  const measured: Record<string, number>[] = [];
  try {
    for (const count of [1_000, 10_000_000]) {
      await insertKeys(database, shop, count);
      const [size] = await sql<[{ table: number; indexes: number }]>`
        select pg_table_size('idempotency') / 1048576.0::float8 as table, pg_indexes_size('idempotency') / 1048576.0::float8 as indexes`;
      const claimBlocks = async (key: string, outcome: string) =>
        await blocksOf(byKey as never, async (connection) =>
          expect(await claimEvents(connection, [claimOf(shop, config, key)], owner)).toEqual([outcome]),
        );
      await claimBlocks(`a new key ${count}`, "claimed");
      const known = `order-${String(expired + count / 2).padStart(9, "0")}-created`;
      const row = {
        keys: count,
        tableMb: Math.round(size.table),
        indexesMb: Math.round(size.indexes),
        claim: await claimBlocks(`order-${String(expired + count / 2).padStart(9, "0")}-shipped`, "claimed"),
        duplicate: await claimBlocks(known, "duplicate"),
        ...(await forgetAll(plain)),
      };
      report("keys", row);
      measured.push(row);
    }
  } finally {
    await Promise.all([byKey.end(), plain.end()]);
  }
  const [few, many] = measured;
  // A tree of ten million keys is a level or two higher.
  for (const name of ["claim", "duplicate"]) expect(many?.[name]).toBeLessThanOrEqual((few?.[name] ?? 0) + 10);
  for (const name of ["firstStep", "lastStep"]) expect(many?.[name]).toBeLessThan(1.5 * (few?.["firstStep"] ?? 0));
  expect(many?.["nothingLeft"]).toBeLessThan(expired / 50);
});
