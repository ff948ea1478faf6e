import type { Pool } from "shared/db/connect";
import { expect, it } from "vitest";
import { testDatabase } from "../../support/database/test-database.ts";
import { type Asked, createAsker } from "../../support/faults/load/asker.ts";
import { createGate } from "../../support/faults/load/gate.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { startScriptedPlatform } from "../../support/gateway/scripted-platform.ts";
import { openShop, type Shop } from "../../support/gateway/shop.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Makes PostgreSQL refuse what one site stores in a table, as it would a row that cannot be right. */
const refuseRowsOf = async (sql: Pool, siteId: string, table: string, sqlState: string): Promise<unknown> =>
  sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.site_id = '${siteId}' then raise exception 'refused' using errcode = '${sqlState}'; end if;
      return new;
    end $$;
    create trigger refuse before insert on ${table} for each row execute function refuse()`);

async function rowsOf(sql: Pool, siteId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ["event", "event_payload", "notification", "customer_order", "idempotency"]) {
    const [row] = await sql<{ n: number }[]>`select count(*)::integer as n from ${sql(table)} where site_id = ${siteId}`;
    counts[table] = row?.n ?? 0;
  }
  return counts;
}
const everywhere = (n: number) => ({ event: n, event_payload: n, notification: n, customer_order: n, idempotency: n });

interface BesideHostile {
  ofHostile: Asked<Shop>[];
  ofOthers: Asked<Shop>[];
  /** Everybody else had an answer before. */
  hostileWasLast: boolean;
}

/** Three sites' events arrive together, and those of the one in the middle are refused. */
async function postBesideHostile(table: string, sqlState: string): Promise<BesideHostile> {
  await using database = await testDatabase();
  await using platform = await startScriptedPlatform();
  const gate = createGate("claim");
  await using gateway = await openGateway(database.url, platform.url, {}, { claimMs: 2000 }, gate.onStep);
  const [here, hostile, there] = [await openShop(database.sql), await openShop(database.sql), await openShop(database.sql)];
  await refuseRowsOf(database.sql, hostile.siteId, table, sqlState);
  using asker = createAsker(gateway.url, "event");

  const answers: Asked<Shop>[] = [];
  const asked: Promise<void>[] = [];
  for (const site of [here, there, here, hostile, there, hostile, here, hostile, there, here, there]) {
    asked.push(asker.ask(site).then((answer) => void answers.push(answer)));
    await waitFor("the event", () => gate.waiting === asked.length);
  }
  gate.open();
  await Promise.all(asked);

  for (const site of [here, there]) expect(await rowsOf(database.sql, site.siteId)).toEqual(everywhere(4));
  expect(await rowsOf(database.sql, hostile.siteId)).toEqual(everywhere(0));
  expect(platform.sends).toHaveLength(8);
  expect(await database.sql`select id from event where lease_until is not null`).toEqual([]);
  const isHostile = ({ site }: Asked<Shop>): boolean => site === hostile;
  return {
    ofHostile: answers.filter(isHostile),
    ofOthers: answers.filter((one) => !isHostile(one)),
    hostileWasLast: answers.slice(-3).every(isHostile),
  };
}

/** A check, a value out of range, a row too large for an index, whatever a function raises, bytes that are no text. */
const refusals = [
  ["event", "23514"],
  ["event_payload", "22003"],
  ["notification", "54000"],
  ["customer_order", "P0001"],
  ["idempotency", "22021"],
] as const;

it.each(refusals)(
  "an event whose row in %s is refused (%s) fails alone, in the middle of a batch of other sites' events",
  async (table, sqlState) => {
    const { ofHostile, ofOthers } = await postBesideHostile(table, sqlState);
    expect(ofOthers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    for (const { status, body } of ofHostile) {
      expect(status).toBe(500);
      expect(body).toMatch(/^\{"error":"Internal error[^"]*"\}$/);
    }
  },
);

it("an event that is tried again and again is tried without the others", async () => {
  // A deadlock that does not go away.
  const { ofHostile, ofOthers, hostileWasLast } = await postBesideHostile("event", "40P01");
  expect(ofOthers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(ofHostile.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(hostileWasLast).toBe(true);
});
