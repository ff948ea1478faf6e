import { connect, type Pool } from "shared/db/connect";
import { recordOptOuts } from "shared/db/opt-out";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { testDatabase, type TestDatabase } from "../../support/database/test-database.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../support/gateway/scripted-platform.ts";
import { openShop, type Shop, vault } from "../../support/gateway/shop.ts";

const events = 25;
const never = 10 ** 8;

let database: TestDatabase;
let platform: ScriptedPlatform;
/** Looks on from another database, so that it does not count itself. */
let observer: Pool;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  observer = connect(inject("serverUrl"), { max: 1 });
  await observer`create extension if not exists pg_stat_statements`;
});
afterAll(async () => {
  await observer?.end();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** What PostgreSQL counts for the database, read once every connection to it is closed: a backend hands in its counts when it ends. */
async function cost(): Promise<{ statements: number; commits: number }> {
  const name = new URL(database.url).pathname.slice(1);
  const gone = async () => (await observer`select from pg_stat_activity where datname = ${name}`).length;
  await expect.poll(gone, { timeout: 10_000 }).toBe(0);
  const [row] = await observer<{ statements: number; commits: number }[]>`
    select xact_commit::integer as commits,
      (select coalesce(sum(calls), 0)::integer from pg_stat_statements where dbid = d.datid and toplevel) as statements
    from pg_stat_database d where datname = ${name}`;
  return row ?? { statements: 0, commits: 0 };
}

async function openShopAndLeave(phones: string[], optedOut: string[]): Promise<Shop> {
  const sql = connect(database.url, { max: 1 });
  const shop = await openShop(sql, { recipient: { strategy: "site_recipients" }, phones });
  const word = { scope: "all", source: "callback", code: "130403", active: true, at: new Date() } as const;
  await recordOptOuts(
    sql,
    vault,
    shop.accountId,
    optedOut.map((phone) => ({ ...word, phone })),
  );
  await sql.end();
  return shop;
}

it.each([
  ["one message", ["+15552000001"], []],
  ["one message of an account that others opted out of", ["+15552000002"], ["+15552000003"]],
  ["twenty messages", Array.from({ length: 20 }, (_, i) => `+155520001${String(i).padStart(2, "0")}`), []],
])("a warm event of %s costs two statements and two commits", async (_, phones, optedOut) => {
  const shop = await openShopAndLeave(phones, optedOut);
  const run = async (n: number): Promise<{ statements: number; commits: number }> => {
    const before = await cost();
    const gateway = await openGateway(database.url, platform.url, {}, { sweepMs: never, forgetMs: never, secretUsesMs: never });
    for (let i = 0; i < n; i += 1) {
      const posted = await postEvent(
        gateway,
        shop,
        { ...anEvent, order: { id: String(i) } },
        { headers: { "X-Service-Idempotency-Key": `${phones[0]}-${n}-${i}` } },
      );
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
