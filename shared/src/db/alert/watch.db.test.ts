import { expect, it } from "vitest";
import { planOf, testDatabase } from "../../../../test/support/database.ts";
import { shared } from "../../../../test/support/shared.ts";
import { newId } from "../ids.ts";
import { readRecentOutcomes, recentOutcomes } from "./watch.ts";

const database = shared(async () => testDatabase());

interface Sending {
  messages: number;
  everyFails: number;
  /** The span of the messages, which ends now. */
  seconds?: number;
}

const quietSites = (count: number): Sending[] => Array.from({ length: count }, () => ({ messages: 0, everyFails: 1 }));

/** An account whose sites have had this many messages, evenly in 50 minutes unless said, of which every nth has failed. */
async function accountWith(...sites: Sending[]): Promise<string> {
  const { sql } = database;
  const [accountId, event] = [newId(), newId()];
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'x', 'y')`;
  for (const { messages, everyFails, seconds = 3000 } of sites) {
    const site = newId();
    await sql`insert into site (id, account_id, name, url, source_type) values (${site}, ${accountId}, 's', 'https://x.example', 'generic')`;
    await sql`
      insert into notification (id, account_id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, position, components, status)
      select (left(uuid_at(now() - n * make_interval(secs => ${seconds}) / ${messages})::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
        ${accountId}, ${site}, ${event}, 'e', ${event}, ${event}, 't', 'en', '+15550100', n, '[]',
        (case when n % ${everyFails} = 0 then 'failed' else 'sent' end)::notification_status
      from generate_series(1, ${messages}::integer) n`;
  }
  return accountId;
}

/** The same by reading each row plainly: messages that have an outcome, each as its newest attempt. */
async function plainCount(accountId: string) {
  const rows = await database.sql<{ id: string; status: string; test: boolean; resent_as: string | null; time: Date }[]>`
    select id, status, test, resent_as, uuid_time(id) as time from notification where account_id = ${accountId}`;
  const recent = rows.filter(({ time, test, resent_as }) => time.getTime() > Date.now() - 3_600_000 && !test && resent_as === null);
  const decided = recent.filter(({ status }) => ["sent", "delivered", "read", "failed"].includes(status));
  return { failed: decided.filter(({ status }) => status === "failed").length, total: decided.length };
}

it("messages are counted as they are, also those of a burst of seconds, at one site of many", async () => {
  const accountId = await accountWith({ messages: 7_713, everyFails: 1, seconds: 8 }, { messages: 100, everyFails: 10 }, ...quietSites(40));
  expect(await plainCount(accountId)).toEqual({ failed: 7_723, total: 7_813 });
  expect(await readRecentOutcomes(database.sql, accountId)).toEqual({ failed: 7_723, total: 7_813, more: false });
  expect(await readRecentOutcomes(database.sql, newId())).toEqual({ failed: 0, total: 0, more: false });
});

it("a message that was sent again counts as its newest attempt; tests, what waits and what is over an hour old do not count", async () => {
  const accountId = await accountWith({ messages: 60, everyFails: 2 });
  const { sql } = database;
  const rows = await sql<{ id: string }[]>`select id from notification where account_id = ${accountId} order by status = 'failed' desc, id`;
  const [first, second, third, ...others] = rows.map(({ id }) => id);
  await sql`update notification set resent_as = ${second ?? ""} where account_id = ${accountId} and id = ${first ?? ""}`;
  await sql`update notification set resent_as = ${others.at(-1) ?? ""} where account_id = ${accountId} and id = ${third ?? ""}`;
  await sql`update notification set test = true where account_id = ${accountId} and id = ${others.at(-2) ?? ""}`;
  await sql`update notification set status = 'queued' where account_id = ${accountId} and id = ${others.at(-3) ?? ""}`;
  await sql`
    insert into notification (id, account_id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, position, components, status)
    select uuid_at(now() - interval '61 minutes'), account_id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, 99, '[]', 'failed'
    from notification where account_id = ${accountId} limit 1`;
  expect(await plainCount(accountId)).toEqual({ failed: 28, total: 56 });
  expect(await readRecentOutcomes(sql, accountId)).toEqual({ failed: 28, total: 56, more: false });
});

it("of very many a bounded number is looked at, the newest first, and no more are named than there are", async () => {
  const accountId = await accountWith({ messages: 90_000, everyFails: 3 }, { messages: 40, everyFails: 1 });
  const real = { failed: 30_040, total: 90_040 };
  const { failed, total, more } = await readRecentOutcomes(database.sql, accountId);
  expect(more).toBe(true);
  expect([total <= 60_000, total > 55_000, failed <= real.failed]).toEqual([true, true, true]);
  expect(failed / total).toBeCloseTo(1 / 3, 1);
  const plan = await planOf(database.sql, recentOutcomes(database.sql, accountId));
  expect(plan.scanned).toEqual([]);
  expect(plan.indexes).toContainEqual(expect.stringMatching(/^notification_.*pkey$/u));
  expect(plan.rowsRead).toBeLessThan(62_000);
});

it("a long queue of newer messages hides none that have failed", async () => {
  const accountId = await accountWith({ messages: 20_000, everyFails: 1, seconds: 60 }, { messages: 300, everyFails: 2 });
  await database.sql`
    update notification set status = 'queued' where account_id = ${accountId} and id >= uuid_at(now() - interval '2 minutes')`;
  const { failed, total, more } = await readRecentOutcomes(database.sql, accountId);
  expect([more, failed > 130, total < 300]).toEqual([true, true, true]);
});
