import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../../test/support/database.ts";
import { newId } from "../ids.ts";
import { readRecentOutcomes } from "./watch.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

/** An account whose sites have had this many messages in the last 50 minutes, evenly, of which every nth has failed. */
async function accountWith(...sites: { messages: number; everyFails: number }[]): Promise<string> {
  const { sql } = database;
  const [accountId, event] = [newId(), newId()];
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'x', 'y')`;
  for (const { messages, everyFails } of sites) {
    const site = newId();
    await sql`insert into site (id, account_id, name, url, source_type) values (${site}, ${accountId}, 's', 'https://x.example', 'generic')`;
    await sql`
      insert into notification (id, account_id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, position, components, status)
      select (left(uuid_at(now() - n * interval '3000 seconds' / ${messages})::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
        ${accountId}, ${site}, ${event}, 'e', ${event}, ${event}, 't', 'en', '+15550100', n, '[]',
        (case when n % ${everyFails} = 0 then 'failed' else 'sent' end)::notification_status
      from generate_series(1, ${messages}::integer) n`;
  }
  return accountId;
}

it("few messages are counted", async () => {
  const accountId = await accountWith({ messages: 100, everyFails: 10 }, { messages: 7, everyFails: 7 });
  expect(await readRecentOutcomes(database.sql, accountId)).toEqual({ failed: 11, total: 107 });
  expect(await readRecentOutcomes(database.sql, newId())).toEqual({ failed: 0, total: 0 });
});

it("of many a part is looked at, and a large site weighs more than a small one that fails", async () => {
  const accountId = await accountWith({ messages: 30_000, everyFails: 50 }, { messages: 40, everyFails: 1 });
  const { failed, total } = await readRecentOutcomes(database.sql, accountId);
  // 640 of 30,040 messages failed.
  expect(total).toBeGreaterThan(27_000);
  expect(total).toBeLessThan(33_000);
  expect(failed / total).toBeGreaterThan(0.018);
  expect(failed / total).toBeLessThan(0.025);
});
