import { afterAll, beforeAll, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../../support/database/test-database.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../support/gateway/scripted-platform.ts";
import { openShop } from "../../support/gateway/shop.ts";

const events = 25;
const never = 10 ** 8;

let database: TestDatabase;
let platform: ScriptedPlatform;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  await database.sql`create extension pg_stat_statements`;
});
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** What PostgreSQL counts, read once the gateway's connections are closed: a backend hands in its counts when it ends. */
async function cost(): Promise<{ statements: number; commits: number }> {
  const gone = () => database.sql`select from pg_stat_activity where datname = current_database() and application_name = 'tidings-gateway'`;
  await expect.poll(async () => (await gone()).length, { timeout: 10_000 }).toBe(0);
  const [counted] = await database.sql<{ statements: number }[]>`
    select sum(s.calls)::integer as statements from pg_stat_statements s join pg_database d on d.oid = s.dbid
    where d.datname = current_database() and s.toplevel and s.query not like '%pg_stat%'`;
  const [all] = await database.sql<{ commits: number }[]>`select xact_commit::integer as commits from pg_stat_database where datname = current_database()`;
  return { statements: counted?.statements ?? 0, commits: all?.commits ?? 0 };
}

it.each([
  ["one message", ["+15552000001"]],
  ["twenty messages", Array.from({ length: 20 }, (_, i) => `+155520001${String(i).padStart(2, "0")}`)],
])("a warm event of %s costs two statements and two commits", async (_, phones) => {
  const shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones });
  const run = async (n: number): Promise<{ statements: number; commits: number }> => {
    const before = await cost();
    const gateway = await openGateway(database.url, platform.url, {}, { sweepMs: never, forgetMs: never });
    for (let i = 0; i < n; i += 1) {
      const posted = await postEvent(gateway, shop, { ...anEvent, order: { id: String(i) } }, { headers: { "X-Service-Idempotency-Key": `${phones.length}-${n}-${i}` } });
      expect(posted.json).toMatchObject({ chat: "sent", recipients_sent: phones.length });
    }
    await gateway[Symbol.asyncDispose]();
    const after = await cost();
    return { statements: after.statements - before.statements, commits: after.commits - before.commits };
  };
  // What a start and its first event cost cancels out between a run of one event and a run of many.
  const one = await run(1);
  const many = await run(1 + events);
  expect(many.statements - one.statements).toBe(2 * events);
  expect(many.commits - one.commits).toBeLessThanOrEqual(2 * events);
  expect(many.commits - one.commits).toBeGreaterThan(0);
});
