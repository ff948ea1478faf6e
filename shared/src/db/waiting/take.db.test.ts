import { afterAll, beforeAll, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { insertNotifications, openShop, type Shop } from "../../../../test/support/gateway.ts";
import { renewGatewayLease } from "../event/gateway-lease.ts";
import { newId } from "../ids.ts";
import { resumeAccount, stopAccountByCallback } from "../platform-account.ts";
import { listDueSites, takeDue } from "./take.ts";

const many = 4_000;
const owner = newId();
let database: TestDatabase;
let shop: Shop;

/** As many messages wait, each for its own phone. */
beforeAll(async () => {
  database = await testDatabase();
  const { sql } = database;
  await renewGatewayLease(sql, { id: owner, seconds: 600, since: newId() });
  shop = await openShop(sql);
  await insertNotifications(
    sql,
    shop,
    Array.from({ length: many }, () => ({ status: "queued" as const })),
  );
  await sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select site_id, id, account_id, event_id, binding_id, id::text, now(), now() from notification`;
  await sql`insert into recipient_turn (account_id, phone_hash, site_id, due_at) select account_id, phone_hash, site_id, due_at from waiting_message`;
  await sql`analyze waiting_message, recipient_turn, notification`;
});
afterAll(async () => database?.[Symbol.asyncDispose]());

const take = async (limit = 20) => {
  const { messages, isMore } = await takeDue(database.sql, owner, shop.siteId, limit);
  return [messages.length, isMore];
};
const isDue = async () => (await listDueSites(database.sql, "00000000-0000-0000-0000-000000000000", 10)).map(({ is_due }) => is_due);
const tryAgainIn = (seconds: number) => database.sql`update platform_account set probe_after = now() + make_interval(secs => ${seconds})`;

it("of a stopped account nothing is due but one message to try with now and then, and what has waited for too long", async () => {
  const { sql } = database;
  await stopAccountByCallback(sql, shop.accountId, { code: "190", reason: "", at: new Date(Date.now() + 60_000) });
  expect([await isDue(), await take()]).toEqual([[false], [0, false]]);
  await tryAgainIn(0);
  expect([await isDue(), await take()]).toEqual([[true], [1, false]]);
  await tryAgainIn(60);
  await sql`
    update waiting_message set queued_at = queued_at - interval '24 hours'
    where id in (select id from waiting_message where owner is null order by id desc limit 25)`;
  expect([await take(), await take(), await take()]).toEqual([
    [20, true],
    [5, false],
    [0, false],
  ]);
  await resumeAccount(sql, shop.accountId);
  expect([await isDue(), await take()]).toEqual([[true], [20, true]]);
});
